"""The rules as they are on the recordings of the H200: the score of ../results/h200/planted-programs.json must not fall. No GPU. Standard library only.

usage: judged_test.py RNNADVISOR
"""
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


def main():
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(RESULTS / "planted-programs.json", Path(folder) / "programs.json")
        with tarfile.open(RESULTS / "planted-programs.tar.xz") as recordings:
            recordings.extractall(folder, filter="data")
        done = subprocess.run([sys.executable, "-B", str(score.HERE / "measure.py"), sys.argv[1], folder, "--judge-again"], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        results = json.loads((Path(folder) / "programs.json").read_text())
    total = score.score(results, score.read_suite())
    judged = len(total["programs"]) - total["not_judged"]
    ok = done.returncode == 0 and judged == len(score.read_suite()["program"])
    return 0 if ok and total["precision"] >= PRECISION and total["recall"] >= RECALL else 1


if __name__ == "__main__":
    sys.exit(main())
