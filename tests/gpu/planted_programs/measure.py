#!/usr/bin/env python3
"""What the advisor says first of each program, and which variant of the program is really the fastest, on one GPU.

usage: measure.py RNNADVISOR OUTPUT_FOLDER [--suite SUITE.toml] [--python PYTHON] [--only NAME…] [--budget SECONDS] [--steps N] [--jobs N] [--rounds N]
       measure.py RNNADVISOR OUTPUT_FOLDER [--suite SUITE.toml] --judge-again     # the rules as they are now, on the profiles that are there; no GPU

The programs of a suite lie in the folder `programs` beside it.

First every program is recorded once, as it is written (`rnnadvisor profile --mode kernels`, then `advise --format json`): several load PyTorch at once, one
at a time uses the GPU. Then timing.py times the variants, one program at a time, without tracing. Writes OUTPUT_FOLDER/programs.json, which score.py reads;
the profiles stay beside it. Exit status 77 without a GPU or without PyTorch, 1 if a program could not be recorded or measured.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
import score  # noqa: E402

HERE = Path(__file__).resolve().parent
RULES = HERE.parents[2] / "rules"
RECORD_SECONDS = 90      # for one program, its turn at the GPU included
KEPT = ("rule", "title", "severity", "confidence", "message", "configuration", "gain")
SUGGESTION = ("text", "framework", "cannot", "transform")


def missing(python):
    """Why nothing can be measured here; None where it can."""
    program = shutil.which("nvidia-smi")
    if not program or subprocess.run([program, "-L"], capture_output=True).returncode != 0:
        return "there is no NVIDIA GPU here"
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
    if subprocess.run([python, "-c", look], capture_output=True).returncode != 0:
        return "{} has no PyTorch".format(python)
    return None


def run(command, seconds, **options):
    """(exit status or None after the time, stdout, stderr); what the command started ends with it."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True, **options)
    try:
        out, errors = process.communicate(timeout=seconds)
        return process.returncode, out, errors
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, errors = process.communicate()
        return None, out, errors


def consequence(rule):
    """Of a card: `memory` claims no time."""
    card = RULES / (rule + ".toml")
    return tomllib.loads(card.read_text())["consequence"] if card.exists() else None


def short(finding):
    """What the score needs of a finding, and what a reader wants to know."""
    return {**{key: finding.get(key) for key in KEPT}, "consequence": consequence(finding["rule"]),
            "suggestions": [{key: one.get(key) for key in SUGGESTION} for one in finding["suggestions"]]}


def record(program, options):
    """Profile and advice of a program as it is written."""
    name, begin = program["name"], time.monotonic()
    profile = options.output / (name + ".rnnprof")
    command = [options.rnnadvisor, "profile", "-q", "--mode", "kernels", "--force", "-o", str(profile), "--",
               options.python, program["file"], "--steps", str(options.steps)]
    # steps.py is one for all suites.
    found_at = os.pathsep.join([str(HERE / "programs"), *filter(None, [os.environ.get("PYTHONPATH")])])
    around = {**os.environ, "PLANTED_PROGRAMS_TURN": str(options.output / "turn"), "PYTHONPATH": found_at}
    status, out, errors = run(command, RECORD_SECONDS, cwd=options.suite.parent / "programs", env=around)
    found = {"findings": [], "recorded_by": command[1:], "record_seconds": time.monotonic() - begin, "program_output": out[-400:]}
    if status != 0 or not profile.exists():
        found["record_failure"] = "recording {}: {}".format("took too long" if status is None else "ended with {}".format(status), errors[-800:])
        return found
    return {**found, **advise(profile, options)}


def advise(profile, options):
    status, out, errors = run([options.rnnadvisor, "advise", str(profile), "--format", "json"], 30)
    try:
        advice = json.loads(out)
        return {"findings": [short(finding) for finding in advice["findings"]], "configurations": len(advice["configurations"])}
    except (ValueError, KeyError, TypeError) as error:
        return {"findings": [], "record_failure": "advise ended with {}, {}: {}".format(status, error, errors[-800:])}


def judge_again(options, suite):
    """The findings anew, the times as they were measured."""
    results = json.loads((options.output / "programs.json").read_text())
    for program in suite["program"]:
        profile = options.output / (program["name"] + ".rnnprof")
        if program["name"] in results["programs"] and profile.exists():
            results["programs"][program["name"]].update(advise(profile, options))
    results["judged_again_by"] = run([options.rnnadvisor, "--version"], 10)[1].strip()
    tell_suggestions(results, suite)
    return finish(results, options, suite)


def tell_suggestions(results, suite):
    for program in suite["program"]:
        if program["name"] in results["programs"]:
            said = score.first_suggestion(results["programs"][program["name"]]["findings"], program, suite)
            meant = score.realising(said, program) if said else None
            results["programs"][program["name"]].update(suggestion=said, suggested_variant=meant and meant["name"])


def finish(results, options, suite):
    write(results, options)
    total = score.score(results, suite)
    print(score.markdown(total) + "written to {}".format(options.output / "programs.json"))
    return 1 if total["not_judged"] else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rnnadvisor")
    parser.add_argument("output", type=Path)
    parser.add_argument("--suite", type=Path, default=score.SUITE)
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has PyTorch")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--budget", type=float, default=230, help="seconds in all, from the start")
    parser.add_argument("--steps", type=int, default=8, help="of a recorded program")
    parser.add_argument("--jobs", type=int, default=5, help="recordings at once; one of them has the GPU")
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--judge-again", action="store_true", help="only ask the advisor again, of profiles that are there")
    options = parser.parse_args()
    start = time.monotonic()
    options.suite = options.suite.resolve()
    suite = score.read_suite(options.suite)
    options.rnnadvisor, options.output = str(Path(options.rnnadvisor).resolve()), options.output.resolve()
    if options.judge_again:
        return judge_again(options, suite)
    programs = [program for program in suite["program"] if not options.only or program["name"] in options.only]
    strangers = set(options.only or []) - {program["name"] for program in suite["program"]}
    if strangers:
        sys.exit("no program is called {}; {} names them".format(", ".join(sorted(strangers)), options.suite))
    reason = missing(options.python)
    if reason:
        print("NEEDS A GPU, NOT RUN: " + reason)
        return 77
    options.output.mkdir(parents=True, exist_ok=True)
    results = {"version": 1, "command": " ".join(sys.argv), "created": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
               "budget_s": options.budget, "programs": {}}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        waiting = {program["name"]: pool.submit(record, program, options) for program in programs}
        results["programs"] = {name: future.result() for name, future in waiting.items()}
    tell_suggestions(results, suite)
    results["recording_s"] = time.monotonic() - start
    print("recorded in {:.0f} s".format(results["recording_s"]), flush=True)
    write(results, options)
    left = max(20.0, options.budget - results["recording_s"])
    files = [str(options.suite.parent / "programs" / program["file"]) for program in programs]
    times = options.output / "times"
    shutil.rmtree(times, ignore_errors=True)
    command = [options.python, str(HERE / "timing.py"), str(times), *files, "--budget", str(left), "--rounds", str(options.rounds)]
    try:
        subprocess.run(command, timeout=3 * left + 120)
    except subprocess.TimeoutExpired:
        print("timing.py gave no answer in time; what it had measured is kept", flush=True)
    for program in programs:
        file = times / (Path(program["file"]).stem + ".json")
        result = json.loads(file.read_text()) if file.exists() else {"variants": [], "rounds": 0, "failure": "it was not measured"}
        results["programs"][program["name"]].update(result)
    described = times / "environment.json"
    results["environment"] = json.loads(described.read_text()) if described.exists() else {}
    asked = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    results["environment"]["driver"] = asked.stdout.strip().splitlines()[0] if asked.stdout.strip() else None
    results["environment"]["rnnadvisor"] = run([options.rnnadvisor, "--version"], 10)[1].strip()
    results["seconds"] = time.monotonic() - start
    print("{:.0f} s".format(results["seconds"]))
    return finish(results, options, suite)


def write(results, options):
    (options.output / "programs.json").write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
