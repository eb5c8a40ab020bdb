#!/usr/bin/env python3
"""How well a recording tells what a CUDA graph of the whole step gains: its estimate beside the measured speedup.

usage: graph_estimates.py RNNADVISOR --set NAME PROGRAMS.json FOLDER_OR_TAR.xz [--set …] [--check]

The speedups were measured by measure.py, here or in ../public_programs: whole steps as written against the same step in a graph, or where PyTorch captured
less of it in the largest graph, without tracing. The estimates are those of `rnnadvisor advise` for the recordings given, also of graphs that something
still forbids. "Others' interval" holds every set against what the other sets reached of their estimates: from the 5th to the 95th percentile, apart for
programs that cannot be captured as written. --check fails where the median of measured over estimated leaves 0.9 to 1.1, fewer than nine in ten lie in
their interval, or docs/validation.md has another table. Anywhere; needs no GPU.
"""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
import score  # noqa: E402


def measured(program):
    """The median speedup of the largest graph, None where none was timed, and what of the step is in it."""
    public = {v["name"]: v["speedup"]["ratio"] for v in program.get("variants", []) if v.get("speedup")}
    for part in ("step", "to backward", "network"):
        for name in (f"graph of {part}", f"graph {part}"):
            if name in public:
                return public[name], part
    times = {v["name"]: v["samples_ms"] for v in program.get("variants", []) if "samples_ms" in v}
    graph = [name for name in times if name == "CUDA graph"]
    if not graph or "as written" not in times:
        return None, None
    return statistics.median(times["as written"]) / statistics.median(times[graph[0]]), "step"


def estimate(rnnadvisor, recording):
    """The gain of the graph that the advisor tells: (speedup, low, high, whether something forbids it), or None."""
    out = subprocess.run([rnnadvisor, "advise", str(recording), "--format", "json"], capture_output=True, text=True)
    for finding in json.loads(out.stdout)["findings"]:
        gain = finding["gain"] or finding["possible_gain"]
        if finding["rule"] in ("launch/host-bound", "launch/handwritten-cell", "launch/capture-forbidden") and gain and gain.get("scope") == "program step":
            return gain["speedup"], gain.get("low") or gain["speedup"], gain.get("high") or gain["speedup"], finding["rule"] == "launch/capture-forbidden"
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
            truth, part = measured(program)
            recording = next(where.rglob(f"{name}.rnnprof"), None)
            if truth is not None and recording:
                yield name if part == "step" else f"{name} ({part})", truth, estimate(rnnadvisor, recording)


def percentile(values, share):
    """Of few values the outer one: no narrower than the share asks for."""
    values = sorted(values)
    if share < 0.5:
        return values[max(0, math.floor(share * (len(values) + 1)) - 1)]
    return values[min(len(values), math.ceil(share * (len(values) + 1))) - 1]


def inside_of_others(reached, kind):
    """How many of a set, of {set: [(measured / estimated, forbidden)]}, lie where nine in ten of the other sets do."""
    inside = 0
    for ratio, forbidden in reached[kind]:
        others = [other for name, rows in reached.items() if name != kind for other, its in rows if its == forbidden]
        inside += percentile(others, 0.05) <= ratio <= percentile(others, 0.95)
    return inside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("--set", nargs=3, action="append", required=True, metavar=("NAME", "RESULTS", "RECORDINGS"))
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table = ["| set | program | measured | estimated | interval | measured / estimated |", "| --- | --- | ---: | ---: | --- | ---: |"]
    summary = [
        "| set | median of measured / estimated | within their interval | within the others' interval | no estimate | of these gained 1.15 or more |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    reached, inside, untold = {}, {}, {}
    for kind, results, recordings in options.set:
        reached[kind], inside[kind], untold[kind] = [], 0, []
        for name, truth, told in sorted(rows(options.rnnadvisor, results, recordings), key=lambda row: row[1]):
            if told is None:
                table.append(f"| {kind} | {name} | {truth:.2f} | | | |")
                untold[kind].append((name, truth))
                continue
            speedup, low, high, forbidden = told
            reached[kind].append((truth / speedup, forbidden))
            inside[kind] += low <= truth <= high
            table.append(f"| {kind} | {name} | {truth:.2f} | {speedup:.2f} | {low:.2f} to {high:.2f} | {truth / speedup:.2f} |")
    ratios, held = [], 0
    for kind, rows_of_set in reached.items():
        own = [ratio for ratio, _ in rows_of_set]
        missed = [name for name, truth in untold[kind] if truth >= 1.15]
        others = inside_of_others(reached, kind)
        summary.append(
            f"| {kind} | {statistics.median(own):.2f} | {inside[kind]} of {len(own)} | {others} of {len(own)} | {len(untold[kind])} | {', '.join(missed) or '–'} |"
        )
        held += others
        ratios += own
    told, within = len(ratios), sum(inside.values())
    summary.append(f"| **all** | **{statistics.median(ratios):.2f}** | **{within} of {told}** | **{held} of {told}** | | |")
    print("\n".join(summary), "\n".join(table), sep="\n\n")
    if options.check and (score.missing_from_document(summary + table) or not (0.9 <= statistics.median(ratios) <= 1.1 and within >= 0.9 * told)):
        sys.exit(1)


if __name__ == "__main__":
    main()
