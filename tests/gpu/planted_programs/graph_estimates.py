#!/usr/bin/env python3
"""How well a recording tells what a CUDA graph of the whole step gains: its estimate beside the measured speedup.

usage: graph_estimates.py RNNADVISOR --results PROGRAMS.json --recordings FOLDER_OR_TAR.xz [--results … --recordings …] [--check]

The speedups were measured by measure.py: whole steps as written against the same step in a graph, without tracing. The
estimates are those of `rnnadvisor advise` for the recordings given. --check fails where the median of measured over
estimated leaves 0.9 to 1.1, more than one in ten lies outside of its interval, or docs/validation.md has another table. Anywhere; needs no GPU.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
import score  # noqa: E402


def measured(program):
    """The median speedup of the graph of the whole step, None where none was timed."""
    times = {v["name"]: v["samples_ms"] for v in program["variants"] if "samples_ms" in v}
    graph = [name for name in times if name == "CUDA graph"]
    if not graph or "as written" not in times:
        return None
    return statistics.median(times["as written"]) / statistics.median(times[graph[0]])


def estimate(rnnadvisor, recording):
    """The gain of the graph that the advisor tells: (speedup, low, high), or None."""
    out = subprocess.run([rnnadvisor, "advise", str(recording), "--format", "json"], capture_output=True, text=True)
    for finding in json.loads(out.stdout)["findings"]:
        gain = finding.get("gain")
        if finding["rule"] in ("launch/host-bound", "launch/handwritten-cell") and gain and gain.get("scope") == "program step":
            return gain["speedup"], gain.get("low") or gain["speedup"], gain.get("high") or gain["speedup"]
    return None


def rows(rnnadvisor, results, recordings):
    programs = json.loads(pathlib.Path(results).read_text())["programs"]
    with tempfile.TemporaryDirectory() as folder:
        where = pathlib.Path(recordings)
        if where.is_file():
            with tarfile.open(where) as archive:
                # The argument of that name is missing in Debian 12's Python 3.11.2.
                archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
                archive.extractall(folder)
            where = pathlib.Path(folder)
        for name, program in programs.items():
            truth = measured(program)
            recording = where / f"{name}.rnnprof"
            if truth is not None and recording.exists():
                yield name, truth, estimate(rnnadvisor, recording)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("--results", action="append", required=True)
    parser.add_argument("--recordings", action="append", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table = ["| program | measured | estimated | interval | measured / estimated |", "| --- | ---: | ---: | --- | ---: |"]
    ratios, inside, untold = [], 0, []
    for results, recordings in zip(options.results, options.recordings):
        for name, truth, told in sorted(rows(options.rnnadvisor, results, recordings), key=lambda row: row[1]):
            if told is None:
                table.append(f"| {name} | {truth:.2f} | | | |")
                untold.append((name, truth))
                continue
            speedup, low, high = told
            ratios.append(truth / speedup)
            inside += low <= truth <= high
            table.append(f"| {name} | {truth:.2f} | {speedup:.2f} | {low:.2f} to {high:.2f} | {truth / speedup:.2f} |")
    print("\n".join(table))
    missed = [name for name, truth in untold if truth >= 1.15]
    median = statistics.median(ratios)
    print(f"\nMedian of measured / estimated: {median:.2f} of {len(ratios)}; {inside} within their interval. "
          f"No estimate for {len(untold)}, of which {len(missed)} gained 1.15 or more{': ' + ', '.join(missed) if missed else ''}.")
    if options.check and (score.missing_from_document(table) or not (0.9 <= median <= 1.1 and inside >= 0.9 * len(ratios))):
        sys.exit(1)


if __name__ == "__main__":
    main()
