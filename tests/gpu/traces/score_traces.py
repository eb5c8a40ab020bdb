#!/usr/bin/env python3
"""Holds traces of torch.profiler against recordings of `rnnadvisor profile` of the same programs: the numbers of docs/importing.md.

usage: score_traces.py RNNADVISOR TRACES RECORDINGS STEPS [-o FILE]

RNNADVISOR is the command, TRACES the folder that record_traces.py wrote, RECORDINGS and STEPS folders with PROGRAM.rnnprof files (unpacked from
tests/gpu/results/h200/planted-programs.tar.xz and planted-programs-steps.tar.xz). For each trace with shapes: whether it has the configurations of
the recording (apart from lengths of single sequences), and which findings only one of both has. For each program whose steps were also timed without
tracing (in STEPS): how many times as long they were under torch.profiler. For each log of cuDNN: its size. Writes one JSON object.
"""
import argparse
import gzip
import json
import pathlib
import sqlite3
import statistics
import subprocess
import sys

# The same program under another name, and what every trace has and no recording.
RENAMED = {"language-model": "language-model-33-streams"}
OF_TRACES_ALONE = "tracing/timed-by-trace"
FORWARD, BACKWARD = "aten::_cudnn_rnn", "aten::_cudnn_rnn_backward"


def advised(command, file):
    ran = subprocess.run([command, "advise", "-q", "--format", "json", str(file)], capture_output=True, text=True)
    if ran.returncode not in (0, 1):
        raise SystemExit(f"{file}: {ran.stderr.strip()}")
    report = json.loads(ran.stdout)
    configurations = set()
    for each in report["configurations"]:
        given = each.get("config") or {}
        if given:
            configurations.add(json.dumps({k: v for k, v in given.items() if k not in ("id", "seq_lengths", "framework")}, sort_keys=True))
    return configurations, {finding["rule"] for finding in report["findings"]}


def untraced_step_ms(recording):
    if not recording.exists():
        return None
    with sqlite3.connect(f"file:{recording}?mode=ro", uri=True) as database:
        columns = [row[1] for row in database.execute("PRAGMA table_info(calls)")]
        if "step_duration_ns" not in columns:
            return None
        times = [row[0] for row in database.execute("SELECT step_duration_ns FROM calls WHERE step_duration_ns > 0")]
    return statistics.median(times) / 1e6 if len(times) >= 3 else None


def traced_step_ms(trace):
    """From the first forward operator after a backward one to the next such; two steps of warm-up are left out."""
    with gzip.open(trace) as file:
        events = json.load(file)["traceEvents"]
    starts, before = [], BACKWARD
    for start, name in sorted((e["ts"], e["name"]) for e in events if e.get("name") in (FORWARD, BACKWARD)):
        if name == FORWARD and before == BACKWARD:
            starts.append(start)
        before = name
    spans = [(b - a) / 1e3 for a, b in zip(starts, starts[1:])][2:]
    return statistics.median(spans) if len(spans) >= 3 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("traces", type=pathlib.Path)
    parser.add_argument("recordings", type=pathlib.Path)
    parser.add_argument("steps", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    made_with = {row["file"]: row for row in map(json.loads, (options.traces / "traces.jsonl").read_text().splitlines())}
    rows, slower = [], []
    for trace in sorted(options.traces.glob("*.json.gz")):
        program = trace.name.split(".")[0].replace("_", "-")
        recording = options.recordings / f"{RENAMED.get(program, program)}.rnnprof"
        if ".plain." in trace.name or not recording.exists():
            continue
        of_trace, found = advised(options.rnnadvisor, trace)
        of_recording, expected = advised(options.rnnadvisor, recording)
        row = {"trace": trace.name, "same_configurations": of_trace == of_recording, "missing": sorted(expected - found),
               "more": sorted(found - expected - {OF_TRACES_ALONE})}
        if trace.name.count(".") == 2:  # no schedule, no stacks
            with_profiler, without = traced_step_ms(trace), untraced_step_ms(options.steps / recording.name)
            if with_profiler and without:
                row |= {"step_ms": round(with_profiler, 3), "step_ms_without_tracing": round(without, 3), "times_as_long": round(with_profiler / without, 3)}
                slower.append(with_profiler / without)
        rows.append(row)
    logs = []
    for log in sorted(options.traces.glob("*.cudnn.log.gz")):
        with gzip.open(log) as file:
            size = sum(len(piece) for piece in iter(lambda: file.read(1 << 20), b""))
        logs.append({"log": log.name, "mb": round(size / 1e6, 2), "stored_mb": round(log.stat().st_size / 1e6, 3)})
    used = made_with[rows[0]["trace"]]
    version = subprocess.run([options.rnnadvisor, "version"], capture_output=True, text=True).stdout.splitlines()
    text = json.dumps({
        "command": "tests/gpu/traces/score_traces.py", "rnnadvisor": version[0] if version else "",
        "device": used["device"], "driver": used["driver"], "versions": used["versions"], "recorded": used["date"],
        "traces": len(rows), "same_configurations": sum(row["same_configurations"] for row in rows),
        "same_findings": sum(not row["missing"] and not row["more"] for row in rows),
        "step_times": len(slower), "median_times_as_long": round(statistics.median(slower), 3) if slower else None, "of_each": rows, "logs": logs}, indent=1)
    options.output.write_text(text + "\n") if options.output else print(text)


if __name__ == "__main__":
    sys.exit(main())
