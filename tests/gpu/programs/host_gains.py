#!/usr/bin/env python3
"""What a step gains once copies and batches no longer hold it up, measured and as the advisor estimates it from the recordings in samples/recorded.

host_gains.py measure RESULTS.json [--rounds N]    a GPU and PyTorch, two minutes: each program as written and in its other modes, by turns, untraced
host_gains.py table RNNADVISOR RESULTS.json        anywhere; Markdown
host_gains.py check RNNADVISOR RESULTS.json        the same; fails where docs/validation.md has another table, or an estimate is wrong by more than a third
"""
import argparse
import json
import os
import pathlib
import random
import re
import runpy
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/gpu/planted_programs"), str(ROOT / "advisor/whatif/torch")]
import score  # noqa: E402
from rnnadvisor_torch import statistics  # noqa: E402

AS_WRITTEN = score.AS_WRITTEN
# The program, the rule that finds its fault, its modes, and those in which nothing is left of the fault.
PROGRAMS = {"pytorch-input-copies": ("launch/input-copies", {AS_WRITTEN: [], score.CONTROL: [], "prefetched": ["--mode", "prefetched"], "bytes": ["--mode", "bytes"],
                                                             "resident": ["--mode", "resident"]}, ("prefetched", "resident")),
            "pytorch-slow-loader": ("launch/waits-for-host", {AS_WRITTEN: [], score.CONTROL: [], "2 workers": ["--workers", "2"], "8 workers": ["--workers", "8"]},
                                    ("8 workers",))}
MOST_OFF = 1 / 3


def script(program):
    return ROOT / "samples/programs/pytorch" / (program.removeprefix("pytorch-").replace("-", "_") + ".py")


def run_once(program, words):
    """Milliseconds of a step. PyTorch is imported already, and CUDA untouched: a forked process starts in a second."""
    with tempfile.TemporaryFile("w+") as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            sys.argv = [str(script(program)), *words]
            status = 1
            try:
                runpy.run_path(str(script(program)), run_name="__main__")
                status = 0
            finally:
                sys.stdout.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        told = re.search(r"([\d.]+) ms a step", out.read())
    if status or not told:
        raise RuntimeError(f"{program} {' '.join(words)} ended with {status}")
    return float(told.group(1))


def measure(results, rounds):
    import torch
    found = {name: {mode: [] for mode in modes} for name, (_, modes, _) in PROGRAMS.items()}
    order = random.Random(1)
    for _ in range(rounds):
        turns = [(name, mode) for name, (_, modes, _) in PROGRAMS.items() for mode in modes]
        for name, mode in order.sample(turns, len(turns)):
            found[name][mode].append(run_once(name, PROGRAMS[name][1][mode]))
        # Whole rounds alone, also where the time ends before the last.
        results.write_text(json.dumps({"version": 1, "torch": torch.__version__, "ms_a_step": found}, indent=1) + "\n")


def estimate(rnnadvisor, program, rule):
    done = subprocess.run([rnnadvisor, "report", str(ROOT / "samples/recorded/programs" / (program + ".rnnprof")), "--quiet", "--json"], capture_output=True, text=True)
    return next((one["gain"]["speedup"] for one in json.loads(done.stdout)["findings"] if one["rule"] == rule), None)


def rows(rnnadvisor, results):
    """Lines of the table, and whether each estimate holds."""
    found, lines, holds = json.loads(results.read_text())["ms_a_step"], [], True
    for name, (rule, modes, mended) in PROGRAMS.items():
        told = estimate(rnnadvisor, name, rule)
        for mode in modes:
            times = found[name][mode]
            gain = statistics.ratio(found[name][AS_WRITTEN], times, seed=1)
            whole = mode in mended
            lines.append("| {} | {} | {:.2f} ms | {} | {} |".format(
                name, mode, statistics.median(times), "" if mode == AS_WRITTEN else "{ratio:.2f} ({low:.2f} to {high:.2f})".format(**gain),
                "" if not whole else "–" if told is None else "{:.2f}".format(told)))
            holds &= not whole or (told is not None and abs(told / gain["ratio"] - 1) <= MOST_OFF)
    return lines, holds


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["measure", "table", "check"])
    parser.add_argument("words", nargs="+")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    if options.act == "measure":
        measure(pathlib.Path(options.words[0]).resolve(), options.rounds)
        return 0
    lines, holds = rows(options.words[0], pathlib.Path(options.words[1]))
    if options.act == "check":
        return 1 if score.missing_from_document(lines) or not holds else 0
    print("| program | mode | a step | measured | estimated |\n| --- | --- | ---: | ---: | ---: |\n" + "\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
