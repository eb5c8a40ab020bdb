#!/usr/bin/env python3
"""Whole training steps of the public programs with a change switched on and off while they run, untraced.

measure.py DEST/programs.jsonl OUTPUT_FOLDER [--only NAME,…] [--seconds SECONDS] [--jobs N] [--without FILE]
  Starts each program of fetch.py's list under this file (`--inside`), several at once; one of them has the GPU. Writes OUTPUT_FOLDER/NAME.json.
  --without FILE   {"NAME": ["change", …]}: what is not switched on in a program
A change that ends the program is left out, and the program starts again; the results say why.

A step lasts from one backward pass to the next: data, forward pass, backward pass and optimizer. Blocks of steps take turns, in random order: the
program as it is written, the same again as control, and each change:
  TF32 for matrices   torch.set_float32_matmul_precision("high"); recurrent layers use TF32 as PyTorch is
  autocast float16    forward passes under torch.autocast
  graph of network    the forward and backward pass of the outermost modules with a recurrent layer (torch.cuda.make_graphed_callables), up to 24 shapes
  graph to backward   all that a step launches from its first module to the end of the backward pass, captured once for each shape. What the program
                      computes between modules it computes again. While a step is captured, tensors of the CPU are made on the GPU in place of copied,
                      and what is read back is 0: what the program would have to move out of its step. Packed sequences are padded
  graph of step       the same with the optimizer (capturable)
  cuDNN on            torch.backends.cudnn.enabled
  half layers         recurrent layers in half with the sizes that the first answer names (HALF_SIZES), everything else as it is
  padded              pack_padded_sequence and pad_packed_sequence pass the padded tensor, the last states are gathered
and what measure_by_hand.py changes in single programs:
  batches ready       a DataLoader, or what prepares the program's batches, hands out those of earlier steps again
  batches on the GPU  the same, copied to the GPU before
  whole sequence, attention as one product, one call of the module, model drawn once
"""
import argparse
import concurrent.futures
import fcntl
import json
import os
import pathlib
import random
import runpy
import signal
import subprocess
import sys
import time
import traceback
import types

import measure_by_hand
import measure_graphs
import measure_layers
from measure_changes import (AHEAD, ALREADY_HALF, AS_WRITTEN, BACKWARD, BACKWARDS, BY_HAND, CONTROL, CUDNN, ENTRIES, HALF, HALF_SIZES, LAYERS, MODULE,
                             NETWORK, ON_GPU, PADDED, READY, STEP, TF32, WHOLE)

LEAST_ROUNDS, MOST_ROUNDS = 7, 15
BLOCK_SECONDS = 0.05
SLOW_SECONDS = 1         # a step that takes longer is timed by itself, in fewer rounds
LEAST_SLOW_ROUNDS = 6
MOST_AGAIN = 12          # a block is timed anew where a graph was captured in it
WARM = 2                 # steps of a block before its time is taken; 8 the first time


class Stop(BaseException):
    pass


class Inside(measure_graphs.Graphs, measure_layers.Layers, measure_by_hand.ByHand):
    """In the program's process. `now` is the change that is on."""

    def __init__(self, options):
        self.options, self.now, self.depth = options, AS_WRITTEN, 0
        self.steps, self.block, self.step_seconds, self.timing, self.slow = 0, None, [], False, False
        self.order, self.random, self.uses_packing, self.seen = [], random.Random(1), False, set()
        self.found = {"program": options.inside, "samples_ms": {}, "graphs": {}, "graph_failures": [], "eager_calls": {}}
        self.context, self.turn, self.cache = None, None, {}
        self.graphs, self.capture, self.replay, self.at = {}, None, None, 0
        self.optimizers, self.optimizer_steps, self.steps_left, self.counting = [], [], 0, 0
        self.halves, self.zeros, self.kept, self.graphing, self.stream = {}, [], [], False, None
        self.backwards, self.passes = BACKWARDS.get(options.inside, 1), 0

    def my_turn(self):
        self.turn = open(self.options.folder / "turn", "w")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        self.began = time.monotonic()

    def install(self):
        import torch
        self.torch = torch
        nn, rnn = torch.nn, torch.nn.utils.rnn
        backward = torch.Tensor.backward

        def step(tensor, *words, **names):
            self.leave()
            self.passes = self.passes % self.backwards + 1
            if self.replay:
                if self.passes == 1:
                    self.replay["graph"].replay()
                for parameter, grad in self.replay["grads"] if self.now == BACKWARD else ():
                    parameter.grad = grad
                replayed = True
                if self.passes == self.backwards:
                    self.replay = None
            else:
                backward(tensor, *words, **names)
                replayed = False
            if self.now in (LAYERS, MODULE):
                for weight, zero in self.zeros:
                    weight.grad = zero
                for _, _, layers in self.halves.values():
                    for layer in layers:
                        layer.zero_grad()
            self.optimizer_steps.append(self.counting)
            self.counting = 0
            if self.capture and self.now == BACKWARD and self.passes == self.backwards:
                self.captured()
            self.skip = self.steps_left if replayed and self.now == STEP else 0
            if not self.capture:
                self.count()
            self.enter()
        torch.Tensor.backward = step
        self.skip = 0
        made = torch.optim.Optimizer.__init__

        def optimizer(this, *words, **names):
            made(this, *words, **names)
            self.optimizers.append(this)

            def one_step(this, *words, **names):
                self.counting += 1
                if self.skip and self.now == STEP:
                    self.skip -= 1
                    return None
                result = type(this).step(this, *words, **names)
                if self.capture and self.now == STEP and self.passes == self.backwards and self.counting >= self.steps_left:
                    self.captured()
                    self.count()
                return result
            this.step = types.MethodType(one_step, this)
        torch.optim.Optimizer.__init__ = optimizer
        call = nn.Module.__call__

        def module(this, *words, **names):
            if self.stream is None and torch.cuda.is_initialized() and torch.utils.data.get_worker_info() is None:
                # What a backward pass adds gradients up on must not be the legacy stream, or no later step can be captured.
                torch.cuda.synchronize()
                self.stream = torch.cuda.Stream()
                torch.cuda.set_stream(self.stream)
            return entered(call, this, words, names)

        def entered(call, this, words, names):
            if self.now not in (NETWORK, BACKWARD, STEP) or self.depth or not this.training or not torch.is_grad_enabled():
                return call(this, *words, **names)
            if self.now == NETWORK and (names or call is not original_call or not any(isinstance(one, (nn.RNNBase, nn.RNNCellBase)) for one in this.modules())):
                return call(this, *words, **names)
            self.depth += 1
            try:
                return self.graphed(call, this, words) if self.now == NETWORK else self.recorded(call, this, words, names)
            finally:
                self.depth -= 1
        original_call, nn.Module.__call__ = call, module
        entries, made_module = dict(ENTRIES.get(self.options.inside, {})), nn.Module.__init__

        def module_made(this, *words, **names):
            made_module(this, *words, **names)
            method = entries.pop(type(this).__name__, None)
            if method:
                original = getattr(type(this), method)
                setattr(type(this), method, lambda this, *words, **names: entered(original, this, words, names))
        nn.Module.__init__ = module_made
        self.tensors_of_lists()
        self.pack(rnn, nn)

    def enter(self):
        if self.now == HALF:
            self.context = self.torch.autocast("cuda", dtype=self.torch.float16)
            self.context.__enter__()

    def leave(self):
        if self.context:
            self.context.__exit__(None, None, None)
            self.context = None

    def changes(self):
        inside = self.options.inside
        names = [AS_WRITTEN, CONTROL, TF32, *([] if inside in ALREADY_HALF else [HALF]), NETWORK, *([STEP] if self.steps_left else []),
                 *([PADDED] if self.uses_packing else []), *([LAYERS] if inside in HALF_SIZES else []), *([CUDNN] if inside == "crnn" else []),
                 *BY_HAND.get(inside, ())]
        if STEP not in names or STEP in self.options.leave_out:
            names.append(BACKWARD)
        return [name for name in names if name not in self.options.leave_out]

    def count(self):
        """After a backward pass."""
        self.steps += 1
        if self.steps == 2:
            self.torch.cuda.synchronize()
            self.my_turn()
        if not self.timing:
            self.torch.cuda.synchronize()
            self.step_seconds.append(time.perf_counter())
            gaps = sorted(b - a for a, b in zip(self.step_seconds[1:], self.step_seconds[2:]))
            gap = gaps[len(gaps) // 2] if gaps else 0
            self.slow = gap > SLOW_SECONDS
            if self.steps == 6 or (self.steps == 4 and self.slow):
                length = max(1, min(40, round(BLOCK_SECONDS / gap)))
                whole = WHOLE.get(self.options.inside, 1)
                self.found["steps_in_a_block"] = self.length = -(-length // whole) * whole
                self.cudnn = self.torch.backends.cudnn.enabled
                self.warm = whole if whole > 1 else 0 if self.slow else min(WARM, self.length)
                self.steps_left = sorted(self.optimizer_steps[2:])[len(self.optimizer_steps[2:]) // 2]
                self.timing = True
                self.next()
            return
        self.left -= 1
        if self.left == self.length:
            self.begin_clock()
        if self.left == 0 and self.captures() > self.captures_before and self.again < MOST_AGAIN:
            self.again += 1  # a shape that was not captured yet
            self.start_block(self.warm)
            return
        if self.left == 0:
            self.torch.cuda.synchronize()
            self.taken[self.now] = 1e3 * (time.perf_counter() - self.begin) / self.length
            self.next()

    def next(self):
        if not self.order:
            if self.block is not None:
                self.round_done()
            self.block, self.taken = self.changes(), {}
            self.order = self.random.sample(self.block, len(self.block))
        before, self.now = self.now, self.order.pop()
        if STEP in (before, self.now) and before != self.now:
            self.capturable(self.now == STEP)
        self.found["now"] = self.now
        self.torch.set_float32_matmul_precision("high" if self.now == TF32 else "highest")
        first = self.now not in self.seen
        self.seen.add(self.now)
        self.torch.backends.cudnn.enabled = self.now == CUDNN or self.cudnn
        self.again = 0
        warm = self.warm if not first or self.warm > WARM else 1 if self.slow else 8
        if before in (READY, ON_GPU) and self.now not in (READY, ON_GPU):
            warm = max(warm, AHEAD.get(self.options.inside, 0))
        self.start_block(warm)
        if first:
            self.write()

    def start_block(self, warm):
        self.left, self.captures_before = self.length + warm, self.captures()
        if warm == 0:
            self.begin_clock()

    def begin_clock(self):
        self.torch.cuda.synchronize()
        self.begin = time.perf_counter()

    def captures(self):
        return sum(self.found["graphs"].values())

    def round_done(self):
        for name, value in self.taken.items():
            self.found["samples_ms"].setdefault(name, []).append(round(value, 4))
        self.write()
        rounds = min((len(v) for v in self.found["samples_ms"].values()), default=0)
        over = time.monotonic() - self.began > self.options.seconds
        if rounds >= MOST_ROUNDS or (over and rounds >= (LEAST_SLOW_ROUNDS if self.slow else LEAST_ROUNDS)):
            self.found["done"] = True
            raise Stop

    def write(self):
        self.found["tried"] = sorted(self.seen)
        self.options.result.write_text(json.dumps(self.found) + "\n")

    def run(self, command):
        script = next(index for index, word in enumerate(command) if word.endswith(".py"))
        sys.argv = command[script:]
        sys.path[0] = str(pathlib.Path(command[script]).resolve().parent)
        try:
            if "jax" not in self.options.inside and "flax" not in self.options.inside:
                self.install()
                self.by_hand()
            runpy.run_path(command[script], run_name="__main__")
        except Stop:
            pass
        except BaseException as error:
            if not self.found.get("done"):
                where = traceback.extract_tb(error.__traceback__)
                lines = [f"{pathlib.Path(one.filename).name}:{one.lineno}" for one in where if pathlib.Path(one.filename).parent != pathlib.Path(__file__).parent][-3:]
                self.found["failure"] = f"while '{self.now}': {type(error).__name__}: {str(error).splitlines()[0][:300] if str(error) else ''} ({', '.join(lines)})"
                traceback.print_exc()
        self.write()
        sys.stderr.flush()
        if self.turn:
            fcntl.flock(self.turn, fcntl.LOCK_UN)
        os._exit(0)


def start(row, place, options):
    folder, result = options.output.resolve(), options.output.resolve() / (row["name"] + ".json")
    left_out = options.left_out.setdefault(row["name"], [])
    command = [sys.executable, str(pathlib.Path(__file__).resolve()), str(options.list), str(folder), "--inside", row["name"], "--seconds", str(options.seconds), "--leave-out", json.dumps(left_out)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **row.get("env", {})}
    with open(folder / (row["name"] + ".log"), "w") as log:
        process = subprocess.Popen(command, cwd=place / row["cwd"], env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            process.wait(timeout=options.limit)
            ended = f"status {process.returncode}"
        except subprocess.TimeoutExpired:
            ended = f"no answer within {options.limit:g} s"
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    found = json.loads(result.read_text()) if result.exists() else {"program": row["name"]}
    if not found.get("done"):
        found["ended"] = ended
    guilty = found.get("now", AS_WRITTEN)
    if not found.get("done") and guilty not in (AS_WRITTEN, CONTROL, *left_out) and options.more():
        left_out.append(guilty)
        why = found.get("failure") or "; ".join([*found.get("graph_failures", []), ended])
        name, found = start(row, place, options)
        found["fails"] = {guilty: why, **found.get("fails", {})}
    result.write_text(json.dumps(found) + "\n")
    return row["name"], found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=float, default=8, help="of a program's turn, more where seven rounds take longer")
    parser.add_argument("--limit", type=float, default=90, help="for a program, its waiting included")
    parser.add_argument("--until", type=float, default=1e9, help="start no program after so many seconds")
    parser.add_argument("--jobs", type=int, default=3)
    parser.add_argument("--without", type=pathlib.Path)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--leave-out", type=json.loads, default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.list = options.list.resolve()
    rows = [json.loads(line) for line in options.list.read_text().splitlines()]
    if options.inside:
        options.folder, options.result = options.output, options.output / (options.inside + ".json")
        row = next(row for row in rows if row["name"] == options.inside)
        Inside(options).run(row["command"])
    begin = time.monotonic()
    options.output.mkdir(parents=True, exist_ok=True)
    options.left_out = json.loads(options.without.read_text()) if options.without else {}
    names = [name for name in options.only.split(",") if name]
    rows = sorted((row for row in rows if not names or row["name"] in names), key=lambda row: names.index(row["name"]) if names else 0)

    options.more = lambda: time.monotonic() - begin < options.until

    def one(row):
        if time.monotonic() - begin < options.until:
            name, found = start(row, options.list.parent, options)
            samples = found.get("samples_ms", {})
            print("{:34} {:5.0f} s  {}".format(name, time.monotonic() - begin, found.get("failure") or found.get("ended") or " ".join(
                "{}: {:.3f}".format(key, sorted(value)[len(value) // 2]) for key, value in samples.items()) or "runs: " + ", ".join(found["tried"])) + "".join(f"\n    fails: {change}: {why[:200]}" for change, why in found.get("fails", {}).items()), flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, rows))


if __name__ == "__main__":
    main()
