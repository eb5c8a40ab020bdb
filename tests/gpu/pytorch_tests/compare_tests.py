#!/usr/bin/env python3
"""Whether the same tests passed, failed and were skipped: compares two outputs of run_tests.py.

usage: compare_tests.py ALONE PROFILED      exit status 1 where they differ
"""
import collections
import json
import re
import sys

# Addresses, times and process ids in the text of a failure are different in every run.
changing = re.compile(r"0x[0-9a-f]+|\d+\.\d+s|\bpid \d+")


def read(path):
    with open(path) as file:
        lines = [json.loads(line) for line in file if line.startswith("{")]
    if not lines or "tests" not in lines[0]:
        sys.exit(f"{path}: not an output of run_tests.py")
    tests = {line["test"]: (line["outcome"], changing.sub("…", line["text"])) for line in lines[1:]}
    if len(tests) < lines[0]["tests"]:
        print(f"{path}: ended after {len(tests)} of {lines[0]['tests']} tests")
    return lines[0], tests


alone_about, alone = read(sys.argv[1])
profiled_about, profiled = read(sys.argv[2])
if alone_about != profiled_about:
    print("not the same tests or versions:", alone_about, profiled_about)
differ = sorted(name for name in alone.keys() | profiled.keys() if alone.get(name) != profiled.get(name))
for name in differ:
    print(f"{name}: alone {alone.get(name)}, profiled {profiled.get(name)}")
print("alone:   ", dict(collections.Counter(outcome for outcome, _ in alone.values())))
print("profiled:", dict(collections.Counter(outcome for outcome, _ in profiled.values())))
print("equal" if not differ else f"{len(differ)} differ")
sys.exit(1 if differ or alone_about != profiled_about or not alone else 0)
