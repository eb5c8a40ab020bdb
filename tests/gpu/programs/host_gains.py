#!/usr/bin/env python3
"""What a step gains once copies and batches no longer hold it up, measured and as the advisor estimates it from the recordings in samples/recorded.

host_gains.py measure RESULTS.json [--rounds N]    a GPU and PyTorch, a minute: each program as written and in its other modes, by turns, untraced.
                                                   The run is added to those that the file has, of other machines
host_gains.py table RNNADVISOR RESULTS.json        anywhere; Markdown
host_gains.py check RNNADVISOR RESULTS.json        the same; fails where docs/validation.md has another table, or an estimate is wrong by more than a third
"""
import argparse
import contextlib
import gc
import io
import json
import pathlib
import random
import re
import runpy
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests/gpu/planted_programs"), str(ROOT / "advisor/whatif/torch")]
import score  # noqa: E402
from rnnadvisor_torch import statistics  # noqa: E402

AS_WRITTEN = score.AS_WRITTEN
# The program, the rule that finds its fault, its modes, and those in which nothing is left of the fault.
PROGRAMS = {"pytorch-input-copies": ("launch/input-copies", {AS_WRITTEN: [], "prefetched": ["--mode", "prefetched"], "bytes": ["--mode", "bytes"],
                                                             "resident": ["--mode", "resident"]}, ("prefetched", "resident")),
            "pytorch-slow-loader": ("launch/waits-for-host", {AS_WRITTEN: [], "2 workers": ["--workers", "2"], "8 workers": ["--workers", "8"]},
                                    ("8 workers",))}
MOST_OFF = 1 / 3


def script(program):
    return ROOT / "samples/programs/pytorch" / (program.removeprefix("pytorch-").replace("-", "_") + ".py")


def run_once(program, words):
    """Milliseconds of a step."""
    told, sys.argv = io.StringIO(), [str(script(program)), *words]
    gc.collect()  # a worker that inherits a dead tensor of the GPU ends when it frees it
    with contextlib.redirect_stdout(told):
        runpy.run_path(str(script(program)), run_name="__main__")
    return float(re.search(r"([\d.]+) ms a step", told.getvalue()).group(1))


def measure(results, rounds):
    import torch
    earlier = json.loads(results.read_text())["runs"] if results.exists() else []
    turns = [(name, mode) for name, (_, modes, _) in PROGRAMS.items() for mode in modes]
    found = {name: {mode: [] for mode in modes} for name, (_, modes, _) in PROGRAMS.items()}
    for name, mode in turns:  # the first run of each waits for CUDA and its libraries
        run_once(name, [*PROGRAMS[name][1][mode], "--steps", "8"])
    order = random.Random(1)
    for _ in range(rounds):
        for name, mode in order.sample(turns, len(turns)):
            found[name][mode].append(run_once(name, [*PROGRAMS[name][1][mode], "--steps", "60"]))
        # Whole rounds alone, also where the time ends before the last.
        lines = ",\n".join(json.dumps(run) for run in [*earlier, found])
        results.write_text(json.dumps({"version": 1, "torch": torch.__version__})[:-1] + ', "runs": [\n' + lines + "\n]}\n")


def estimate(rnnadvisor, program, rule):
    done = subprocess.run([rnnadvisor, "report", str(ROOT / "samples/recorded/programs" / (program + ".rnnprof")), "--quiet", "--json"], capture_output=True, text=True)
    return next((one["possible_gain"]["speedup"] for one in json.loads(done.stdout)["findings"] if one["rule"] == rule), None)


def rows(rnnadvisor, results):
    """Lines of the table, and whether each estimate holds."""
    runs, lines, holds = json.loads(results.read_text())["runs"], [], True
    for name, (rule, modes, mended) in PROGRAMS.items():
        told, before = estimate(rnnadvisor, name, rule), [one for run in runs for one in run[name][AS_WRITTEN]]
        for mode in modes:
            times = [one for run in runs for one in run[name][mode]]
            # Of rounds, not of medians: hosts differ in speed.
            gain = statistics.ratio([b / a for b, a in zip(before, times)], [1.0] * len(times), seed=1)
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
