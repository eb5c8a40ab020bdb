"""The rules as they are on recordings of a GPU: the score must not fall below what is asked. No GPU. Standard library only.

usage: judged_test.py RNNADVISOR [--suite SUITE.toml --results PROGRAMS.json --recordings PROFILES.tar.xz] [--precision SHARE] [--recall SHARE]

By default those of the H200 in ../results/h200. For another suite all three files are given: what measure.py wrote, and the profiles beside it in an archive.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
import score  # noqa: E402

RESULTS = score.HERE.parent / "results" / "h200"
PRECISION, RECALL = 0.95, 0.90


def judge(options):
    """(exit status of measure.py, the score of the results with the findings of today)"""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(options.results, Path(folder) / "programs.json")
        with tarfile.open(options.recordings) as recordings:
            # The argument of that name is missing in Debian 12's Python 3.11.2.
            recordings.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            recordings.extractall(folder)
        command = [sys.executable, "-B", str(score.HERE / "measure.py"), options.rnnadvisor, folder, "--suite", str(options.suite), "--judge-again"]
        done = subprocess.run(command, capture_output=True, text=True)
        print(done.stdout + done.stderr)
        results = json.loads((Path(folder) / "programs.json").read_text())
    return done.returncode, score.score(results, score.read_suite(options.suite))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rnnadvisor")
    parser.add_argument("--suite", type=Path)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--recordings", type=Path)
    parser.add_argument("--precision", type=float, default=PRECISION, help="the least that passes")
    parser.add_argument("--recall", type=float, default=RECALL)
    options = parser.parse_args()
    given = [options.suite, options.results, options.recordings]
    if any(given) and not all(given):
        parser.error("--suite, --results and --recordings belong together")
    published = not any(given)
    if published:
        options.suite, options.results, options.recordings = score.SUITE, RESULTS / "planted-programs.json", RESULTS / "planted-programs.tar.xz"
    status, total = judge(options)
    judged = len(total["programs"]) - total["not_judged"]
    ok = status == 0 and judged == len(score.read_suite(options.suite)["program"])
    for name, least in (("precision", options.precision), ("recall", options.recall)):
        if total[name] is None or total[name] < least:
            share = "nothing was {}".format("said" if name == "precision" else "to find") if total[name] is None else "it is {:.3f}".format(total[name])
            print("{} has to be at least {}: {}".format(name, least, share))
            ok = False
    if published:
        ok = not score.missing_from_document(score.markdown(total).splitlines()) and ok
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
