#!/usr/bin/env python3
"""What a recording says of a CUDA graph of the step, beside what PyTorch could capture on a GPU. Needs no GPU.

usage: check.py RNNADVISOR CAPTURES.json RECORDINGS.tar.xz

Prints a table and fails where the advisor calls a step forbidden that PyTorch captured, or none that PyTorch refused, but for EXPECTED.
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

# Where the two differ, and why; a row that no longer differs fails too.
EXPECTED = {
    "adam": "the optimizer refuses because of its own setting, capturable=False, which leaves no trace on the GPU; the code of the advice has capturable=True",
    "changing-lengths": "a step of one length can be captured, but its graph cannot stand for the other lengths",
    "eleven-lengths": "as changing-lengths",
    "decoding-until-the-end": "the program's step is a sentence; the recording's is a word, after which the host may wait",
}
CARD = """
id           = "probe/forbidden"
criterion    = "PROBE"
title        = "probe"
title_passed = "probe"
severity     = "info"
confidence   = "documented"
consequence  = "none"
when         = { fact = "program.capture_forbidden", is = true }
message      = "{program.capture_obstacles}"
explanation  = "For this check."
[[citation]]
source  = "this check"
section = "none"
quote   = "none"
tag     = "S"
"""


def obstacles(rnnadvisor, recording, rules):
    """What forbids the capture, in the advisor's words; None where nothing does."""
    command = [rnnadvisor, "advise", str(recording), "--rules", str(rules), "--format", "json"]
    out = subprocess.run(command, capture_output=True, text=True)
    found = [finding["message"] for finding in json.loads(out.stdout)["findings"] if finding["rule"] == "user/probe/forbidden"]
    return found[0] if found else None


def main(rnnadvisor, captures, recordings):
    truth = json.loads(pathlib.Path(captures).read_text())["programs"]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(recordings) as archive:
            # The argument of that name is missing in Debian 12's Python 3.11.2.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            archive.extractall(folder)
        rules = pathlib.Path(folder) / "rules"
        (rules / "probe").mkdir(parents=True)
        (rules / "probe" / "forbidden.toml").write_text(CARD)
        print("| program | PyTorch | read off the recording | |\n| --- | --- | --- | --- |")
        for name, tried in truth.items():
            captured = tried["step_alone"] == "captured"
            told = obstacles(rnnadvisor, pathlib.Path(folder) / (name + ".rnnprof"), rules)
            agree = captured == (told is None)
            print("| {} | {} | {} | {} |".format(name, "captured" if captured else "refused", told or "nothing", "" if agree else EXPECTED.get(name, "WRONG")))
            if agree == (name in EXPECTED):
                wrong.append(name)
    if wrong:
        print("\nOther than expected: " + ", ".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
