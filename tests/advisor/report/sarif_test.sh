#!/bin/sh
# sarif_test.sh REPORT_SAMPLES RNNADVISOR TOP: every SARIF log is valid by the official schema and the rules of the specification, as Microsoft's SARIF
# Multitool checks them. Exit 77: skipped, it is not there (tools/validators.sh gets it).
set -u
tool=$3/build/validators/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
if [ ! -x "$tool" ]; then
  echo "SKIPPED: there is no SARIF Multitool in build/validators (tools/validators.sh gets it from npm); SARIF was NOT validated by it" >&2
  exit 77
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$1" "$work" || exit 1
printf 'hidden_size = 1001\nbatch_size = 33\n[framework]\nname = "pytorch"\n' > network.toml
printf '{"id": "a", "hidden_size": 1001}\n{"id": "b", "seq_length": 65536}\n' > 'two words.jsonl'
"$2" check network.toml 'two words.jsonl' --device a100 -f sarif:files.sarif --fail-on never --quiet || exit 1
"$2" check --hidden-size 1001 --device h200 -f sarif:flags.sarif --fail-on never --quiet || exit 1
"$2" check network.toml --device a100 --save saved.rnnprof --fail-on never --quiet > /dev/null || exit 1
"$2" report saved.rnnprof -f sarif:profile.sarif --quiet || exit 1
for sample in gnmt planted-failures criteria-sizes programs/pytorch-two-layers; do
  "$2" report "sample:$sample" -f "sarif:$(basename "$sample").sarif" --quiet || exit 1
done
DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1 "$tool" validate ./*.sarif -o validated.sarif.log --log ForceOverwrite > validation.txt 2>&1
status=$?
if [ $status -ne 0 ] || grep -E '(^|: )error ' validation.txt; then
  cat validation.txt
  exit 1
fi
grep -q 'Analysis completed successfully' validation.txt || { cat validation.txt; exit 1; }
