#!/usr/bin/env python3
"""Whole programs under `rnnadvisor try` and `rnnadvisor accelerate`, as they are: time of a step, loss, exit status, output.

tried.py RNNADVISOR OUT.jsonl [options] PROGRAM.py …: each runs under `try`, with the same types and with `--allow numerics`, until 200 steps
have been timed. Programs take --steps (tests/gpu/planted_programs/programs, samples/programs/pytorch) and print their last loss.
  --list FILE.jsonl   more programs: name, cwd (relative to the file), command, env, loss_regex
  --change CHANGE     `try --change` in place of algorithms; repeatable
  --same STEPS        also STEPS steps plain, plain again and under `accelerate`, for output and exit status
  --losses SECONDS    `try --losses 4 --allow numerics` in place of whole steps: each run of a program is ended after so long, four programs at once
  --allow WORD        exact or numerics alone; default: first the one, then the other
  --seconds SECONDS   interrupt a run after so many; default 60
  --until SECONDS     start nothing after so many
  --profile FOLDER    record each program in place of trying it: FOLDER/NAME.rnnprof. The next one starts, and imports what it needs, four seconds before
                      one is interrupted
  --iterations N      with --profile: record N forward calls of the first configuration
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

NUMBER = r"([\d.]+)"
BEGIN = time.perf_counter()


class Program:
    def __init__(self, name, command, cwd=None, env=None, loss=None):
        self.name, self.command, self.cwd, self.loss = name, command, cwd, loss
        self.environment = {**os.environ, "PYTHONPATH": str(pathlib.Path("tests/gpu/planted_programs/programs").resolve()), "PYTHONUNBUFFERED": "1", **(env or {})}

    def run(self, prefix, command=None, seconds=60, interrupt=False):
        begin = time.perf_counter()
        process = subprocess.Popen([*prefix, *(command or self.command)], cwd=self.cwd, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True)
        ended = ""
        try:
            out, error = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            ended = f"ended after {seconds} s"
            process.send_signal(signal.SIGINT if interrupt else signal.SIGKILL)
            try:
                if "profile" in prefix:  # a second Ctrl-C within five seconds ends the program at once
                    try:
                        process.communicate(timeout=4)
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGINT)
                out, error = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # the program, too, which holds the pipes
                out, error = process.communicate()
        return {"status": process.returncode, "ended": ended, "all": out, "out": out[-500:], "error": error[-3000:], "seconds": time.perf_counter() - begin}


def step_of(report):
    """What was timed: {"algorithms" | "change" | "both": …}; a step with one alone does not say with which."""
    flat = re.sub(r"\s+", " ", report)
    control = re.search(rf"noise of the program's own steps: {NUMBER} to {NUMBER}", flat)
    if not control:
        return None
    ms = {"µs": 1e-3, "us": 1e-3, "ms": 1.0, "s": 1e3}
    names = {None: "only", "faster algorithms": "algorithms", "the change of layers": "change", "both": "both"}
    steps = {}
    for found in re.finditer(rf"{NUMBER} (\S+) → {NUMBER} (\S+?)(?: with (faster algorithms|the change of layers|both))?: {NUMBER}× \({NUMBER} to {NUMBER}\)",
                             flat[flat.index("Whole step"):]):
        steps[names[found[5]]] = {"own_ms": float(found[1]) * ms[found[2]], "fast_ms": float(found[3]) * ms[found[4]], "speedup": float(found[6]),
                                  "interval": [float(found[7]), float(found[8])]}
    return {"control": [float(control[1]), float(control[2])], **steps}


def tried(rnnadvisor, program, seconds, *options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        done = program.run([rnnadvisor, "try", "--no-progress", "--iterations", "200", "--report", str(report), *options, "--"], None, seconds, interrupt=True)
        text = report.read_text() if report.exists() else ""
    del done["all"]
    return {**done, "report": text, "step": step_of(text)}


def profiled(rnnadvisor, program, seconds, folder, words):
    file = folder / (program.name + ".rnnprof")
    done = program.run([rnnadvisor, "profile", "--no-progress", "--force", "-o", str(file), *words, "--"], None, seconds, interrupt=True)
    del done["all"]
    return {**done, "bytes": file.stat().st_size if file.exists() else 0}


def losses(rnnadvisor, program, seconds):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report"
        words = ["--loss", program.loss] if program.loss else []
        done = program.run([rnnadvisor, "try", "--no-progress", "--losses", "4", "--allow", "numerics", "--report", str(report), *words, "--",
                            "sh", "-c", f'timeout -s INT -k 20 {seconds:g} "$@"; true', "run"], None, 6 * (seconds + 30))
        text = report.read_text() if report.exists() else ""
    del done["all"]
    return {**done, "report": text}


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background, and then by all that is started here
    parser = argparse.ArgumentParser()
    parser.add_argument("rnnadvisor")
    parser.add_argument("out")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--list")
    parser.add_argument("--only", default="")
    parser.add_argument("--change", action="append", default=[])
    parser.add_argument("--same", type=int, default=0)
    parser.add_argument("--losses", type=float, default=0)
    parser.add_argument("--allow", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--until", type=float, default=1e9)
    parser.add_argument("--profile")
    parser.add_argument("--iterations")
    options = parser.parse_intermixed_args()
    rnnadvisor = str(pathlib.Path(options.rnnadvisor).resolve())
    programs = [Program(path, [sys.executable, path, "--steps", "1000000"]) for path in options.programs]
    if options.list:
        place = pathlib.Path(options.list).resolve().parent
        for line in pathlib.Path(options.list).read_text().splitlines():
            one = json.loads(line)
            if not options.only or one["name"] in options.only.split(","):
                command = [sys.executable if word == "python3" else word for word in one["command"]]
                programs.append(Program(one["name"], command, place / one["cwd"], one.get("env"), one.get("loss_regex")))

    def note(row):
        with pathlib.Path(options.out).open("a") as file:
            file.write(json.dumps(row) + "\n")

    if options.profile:
        folder = pathlib.Path(options.profile).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        words = ["--iterations", options.iterations] if options.iterations else []
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            waiting = []
            for program in programs:
                if time.perf_counter() - BEGIN < options.until:
                    waiting.append((program.name, pool.submit(profiled, rnnadvisor, program, options.seconds, folder, words)))
                    time.sleep(max(0, options.seconds - 4))
            for name, future in waiting:
                note({"program": name, "profile": future.result()})
                print(name, {key: future.result()[key] for key in ("status", "ended", "seconds", "bytes")}, flush=True)
        return
    if options.losses:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for program, found in zip(programs, pool.map(lambda program: losses(rnnadvisor, program, options.losses), programs)):
                note({"program": program.name, "losses": found})
                print(program.name, found["status"], found["report"] or found["error"][-800:], flush=True)
        return
    for program in programs:
        if time.perf_counter() - BEGIN > options.until:
            break
        ways = {change: ("--change", change) for change in options.change} or {allow: ("--allow", allow) for allow in options.allow or ("exact", "numerics")}
        row = {"program": program.name, **{name: tried(rnnadvisor, program, options.seconds, *words) for name, words in ways.items()}}
        if options.same:
            command = [*program.command[:-1], str(options.same)]
            row["same"] = {name: program.run(prefix, command) for name, prefix in
                           (("plain", ()), ("again", ()), ("accelerated", (rnnadvisor, "accelerate", "--no-progress", "--")))}
            for one in row["same"].values():
                del one["all"]
        note(row)
        print(program.name, {name: (row[name]["status"], row[name]["step"]) for name in ways},
              {k: (v["status"], v["out"].strip()) for k, v in row.get("same", {}).items()}, flush=True)
        for name in ways:
            print(row[name]["report"] or row[name]["error"][-800:], flush=True)


if __name__ == "__main__":
    main()
