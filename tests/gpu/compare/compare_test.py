#!/usr/bin/env python3
"""`rnnadvisor compare` over recordings of an H200: it names what was changed (pairs.toml) among the first two causes, no cause and no change
of a step for two runs of one hour, and no change of the calls for the same program recorded on two days.

usage: compare_test.py RNNADVISOR CHANGES.tar.xz AGAIN.tar.xz EQUAL.tar.xz FIRST_DAY.tar.xz SECOND_DAY.tar.xz

AGAIN has the programs of CHANGES, recorded once more; EQUAL the folders first and again, of planted programs. Prints a table. Exits 1 if a cause is missing or one is named for equal programs.
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
# Held out: recorded once what counts as a change was settled. This one waited for 1.4 ms less of 4.1 the second time.
KNOWN = {"inference_server.rnnprof"}
PARTS = {"rnn_kernels", "native_cells", "other_kernels", "copies", "host_wait", "idle_in_rnn", "idle", "launches"}


def compare(rnnadvisor, before, after):
    ran = subprocess.run([rnnadvisor, "compare", str(before), str(after), "--json", "--fail-if", "kernels > 1"], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        sys.exit(f"compare {before.name} {after.name}: {ran.stderr}")
    found = json.loads(ran.stdout)
    step = found["step"]
    ratio = f"{step['after']['median_ms'] / step['before']['median_ms']:.3g}" if step else "–"
    return ratio, [cause["key"] for cause in found["causes"]], step["change"] if step else "unclear", found["limits"][0]["verdict"]


def main():
    rnnadvisor, *packed = sys.argv[1:]
    changes = tomllib.loads((HERE / "pairs.toml").read_text())["changes"]
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folders = changed, again, others, first, second = [pathlib.Path(name) / each for each in ("changes", "again", "equal", "first", "second")]
        for source, folder in zip(packed, folders):
            with tarfile.open(source) as file:
                file.extractall(folder, filter="data")
        print("| before | after | step, times as long | changed | causes that compare names |\n| --- | --- | ---: | --- | --- |")
        for run in (changed, again):
            for each in changes:
                ratio, causes, _, _ = compare(rnnadvisor, *(run / f"{each[side]}.rnnprof" for side in ("before", "after")))
                right = each["cause"] in causes[:2]
                wrong += [] if right else [f"{run.name}/{each['after']}"]
                print(f"| {each['before']} | {each['after']} | {ratio} | {each['cause']} | {', '.join(causes) or 'none'}{'' if right else ' **wrong**'} |")
        equal = [(before, again / before.name) for before in sorted(changed.glob("*.rnnprof"))]
        equal += [(before, others / "again" / before.name) for before in sorted((others / "first").glob("*.rnnprof"))]
        for before, after in equal:
            _, causes, change, kernels = compare(rnnadvisor, before, after)
            if (causes or change in ("faster", "slower")) and before.name not in KNOWN or kernels == "exceeded":
                wrong.append(f"{before.name}: {change}, {causes}, kernels {kernels}")
        days = sorted(path.name for path in first.rglob("*.rnnprof"))
        for file in days:
            _, causes, _, _ = compare(rnnadvisor, first / file, second / file)
            if set(causes) - PARTS:
                wrong.append(file)
    print(f"\n{len(changes)} changes, recorded twice; {len(equal)} programs recorded twice in one hour, {len(days)} on two days; wrong: {', '.join(wrong) or 'none'}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
