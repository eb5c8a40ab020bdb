#!/usr/bin/env python3
"""Does a process that has used CUPTI launch more slowly afterwards, while nothing is recorded?

One machine, one sitting. In each round and for each variant a fresh worker process times one configuration, then does what the
variant says, then times it again. The variants are interleaved, in another order each round.

  none      a pause instead
  trace     kernels recorded with CUPTI's activity interface
  counters  hardware counters read with CUPTI's range profiler
  both      as `rnnadvisor run` does it

usage: cupti-slows-launches.py RNNADVISOR OUTPUT.jsonl [ROUNDS]
"""
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

program, output = sys.argv[1], sys.argv[2]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 7
VARIANTS = {"none": None, "trace": (True, 1), "counters": (False, 2), "both": (True, 2)}
CONFIGURATION = {"id": "x", "cell": "lstm", "algo": "standard", "data_type": "half", "math_type": "tensor_op", "input_size": 1024,
                 "hidden_size": 1024, "num_layers": 1, "seq_length": 256, "batch_size": 64, "mode": "training"}


class Worker:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([program, "worker", "--device", "0", "--directory", self.folder.name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.wait("ready")
        self.index = 0

    def wait(self, word):
        line = self.process.stdout.readline().strip()
        if not line.startswith(word):
            sys.exit(f"the worker said {line!r} instead of {word!r}")

    def job(self, timed, trace, counters):
        options = {"warmup": 3, "min_repeats": 30, "max_repeats": 60, "budget_seconds": 1.5, "target_interval": 0.0, "time": timed,
                   "trace": trace, "counters": counters, "correctness": False, "sizes_only": False, "timeout_seconds": 120, "seed": 1}
        self.process.stdin.write(json.dumps({"index": self.index, "options": options, "configuration": CONFIGURATION}) + "\n")
        self.process.stdin.flush()
        self.wait(f"done {self.index}")
        path = f"{self.folder.name}/{self.index}.rnnprof"
        self.index += 1
        connection = sqlite3.connect(path)
        return {phase: round(ms, 5) for phase, ms in connection.execute("SELECT phase, median_ms FROM timings")}

    def end(self):
        self.process.stdin.close()
        self.process.wait()


with open(output, "w") as out:
    for turn in range(rounds):
        names = list(VARIANTS)
        random.Random(turn).shuffle(names)
        for name in names:
            worker = Worker()
            before = worker.job(True, False, 1)
            if VARIANTS[name] is None:
                time.sleep(0.5)
            else:
                worker.job(False, *VARIANTS[name])
            after = worker.job(True, False, 1)
            worker.end()
            for phase in before:
                row = {"round": turn, "variant": name, "phase": phase, "ms_before": before[phase], "ms_after": after[phase]}
                out.write(json.dumps(row) + "\n")
            out.flush()
            print(turn, name, {p: round(after[p] / before[p], 3) for p in before}, flush=True)
