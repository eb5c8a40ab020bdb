#!/usr/bin/env python3
"""`rnnadvisor compare` over recordings of an H200: it names what was changed (pairs.toml) among the first five causes, and no change of the
calls for the same program recorded on two days.

usage: compare_test.py RNNADVISOR CHANGES.tar.xz FIRST_DAY.tar.xz SECOND_DAY.tar.xz

Prints a table. Exits 1 if a cause is missing or one is named for equal programs.
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
# What the time of a step is made of differs from day to day; what a program calls does not.
PARTS = {"rnn_kernels", "native_cells", "other_kernels", "copies", "host_wait", "idle_in_rnn", "idle", "launches"}


def compare(rnnadvisor, before, after):
    ran = subprocess.run([rnnadvisor, "compare", str(before), str(after), "--json"], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"compare {before.name} {after.name}: {ran.stderr}")
    found = json.loads(ran.stdout)
    step = found["step"]
    ratio = f"{step['after']['median_ms'] / step['before']['median_ms']:.3g}" if step else "–"
    return ratio, [cause["key"] for cause in found["causes"]]


def main():
    rnnadvisor, *packed = sys.argv[1:]
    changes = tomllib.loads((HERE / "pairs.toml").read_text())["changes"]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        changed, first, second = (pathlib.Path(name) / each for each in ("changes", "first", "second"))
        for source, folder in zip(packed, (changed, first, second)):
            with tarfile.open(source) as file:
                file.extractall(folder, filter="data")
        print("| before | after | step, times as long | changed | causes that compare names |\n| --- | --- | ---: | --- | --- |")
        for each in changes:
            ratio, causes = compare(rnnadvisor, *(changed / f"{each[side]}.rnnprof" for side in ("before", "after")))
            if each["cause"] not in causes[:5]:
                wrong.append(each["after"])
            print(f"| {each['before']} | {each['after']} | {ratio} | {each['cause']} | {', '.join(causes) or 'none'}{' **wrong**' if each['after'] in wrong else ''} |")
        equal = sorted(path.name for path in first.rglob("*.rnnprof"))
        for file in equal:
            _, causes = compare(rnnadvisor, first / file, second / file)
            if set(causes) - PARTS:
                wrong.append(file)
    print(f"\n{len(changes)} changes and {len(equal)} equal programs; wrong: {', '.join(wrong) or 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
