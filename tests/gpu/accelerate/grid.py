#!/usr/bin/env python3
"""Unmodified PyTorch layers as they are and under `RNNADVISOR_ACCELERATE`: times in turns, what was chosen, what was computed.

grid.py PLUGIN SHAPES.jsonl OUT.jsonl [--with VALUE,…] [--host ROUNDS] [--until SECONDS] [--shard I/N]: one line a layer, appended; one that is
there is not run again.
Each way to run a layer is a process of its own, a fork of this one, which has imported PyTorch. All of a layer start together and then run
one at a time, in turns: plain, accelerated, plain again (the control), and what --with adds (force:persist_static). --host also takes the
time of steps that nothing waits for, ROUNDS turns of 100 (`host`: wall and processor time of a step, ms): what a program whose CPU is the
bottleneck pays. All processes have the same two cores
then.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time
import warnings

if "librnnadvisor_plugin" not in os.environ.get("LD_PRELOAD", ""):
    os.environ.update(LD_PRELOAD=str(pathlib.Path(sys.argv[1]).resolve()), RNNADVISOR_SPOOL=tempfile.mkdtemp(), RNNADVISOR_MODE="calls",
                      RNNADVISOR_RECORD="choices")
    os.execv(sys.executable, [sys.executable, *sys.argv])

import torch  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import choices  # noqa: E402

warnings.simplefilter("ignore")
TYPES = {"half": torch.half, "float": torch.float32, "bfloat16": torch.bfloat16}
ROUNDS = 6


def layer(shape):
    torch.manual_seed(1)
    kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN, "rnn_relu": torch.nn.RNN}[shape["cell"]]
    extra = {"nonlinearity": shape["cell"][4:]} if shape["cell"].startswith("rnn") else {}
    made = kind(shape["input"], shape["hidden"], shape["layers"], bidirectional=shape["bidirectional"], dropout=shape["dropout"],
                batch_first=shape["batch_first"], dtype=TYPES[shape["type"]], **extra).cuda()
    made.flatten_parameters()
    return made


class Program:
    """A layer and its step, as a training or inference loop has it."""

    def __init__(self, shape):
        self.shape = shape
        self.model = layer(shape)
        order = ("batch", "steps", "input") if shape["batch_first"] else ("steps", "batch", "input")
        generator = torch.Generator(device="cuda").manual_seed(2)
        self.x = torch.randn([shape[k] for k in order], generator=generator, device="cuda").to(TYPES[shape["type"]])
        self.x.requires_grad_(shape["training"])
        self.lengths = [shape["steps"]] * shape["batch"]
        if shape["packed"] == "unequal":
            self.lengths = [max(1, shape["steps"] - i % 7) for i in range(shape["batch"])]
        self.weight = None

    def forward(self):
        if not self.shape["packed"]:
            return self.model(self.x)[0]
        packed = torch.nn.utils.rnn.pack_padded_sequence(self.x, self.lengths, self.shape["batch_first"], enforce_sorted=False)
        return self.model(packed)[0].data

    def step(self):
        if not self.shape["training"]:
            with torch.inference_mode():
                return self.forward()
        for p in [self.x, *self.model.parameters()]:
            p.grad = None
        y = self.forward()
        if self.weight is None:
            self.weight = torch.randn(y.shape, generator=torch.Generator(device="cuda").manual_seed(3), device="cuda").to(y.dtype)
        y.backward(self.weight)
        return y

    def block(self, seconds, least):
        times, begin = [], time.perf_counter()
        torch.cuda.synchronize()
        while len(times) < least or time.perf_counter() - begin < seconds:
            start = time.perf_counter()
            self.step()
            torch.cuda.synchronize()
            times.append((time.perf_counter() - start) * 1e3)
        return times

    def host(self, steps):
        torch.cuda.synchronize()
        wall, processor = time.perf_counter(), time.process_time()
        for _ in range(steps):
            self.step()
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        torch.cuda.synchronize()
        return [wall * 1e3 / steps, processor * 1e3 / steps]

    def results(self):
        y = self.step()
        out = {"y": y}
        if self.shape["training"]:
            out["dx"] = self.x.grad
            out.update({f"d{name}": p.grad for name, p in self.model.named_parameters()})
        return {name: value.detach().cpu() for name, value in out.items()}


class Child:
    def __init__(self, shape, variables):
        self.folder = tempfile.mkdtemp()
        to_child, from_child = os.pipe(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.environ.update(variables, RNNADVISOR_SPOOL=self.folder)
                os.close(to_child[1])
                os.close(from_child[0])
                self.serve(shape, os.fdopen(to_child[0]), os.fdopen(from_child[1], "w"))
                status = 0
            except BrokenPipeError:
                pass
            ctypes.CDLL(None).exit(status)
        os.close(to_child[0])
        os.close(from_child[1])
        self.commands, self.answers = os.fdopen(to_child[1], "w"), os.fdopen(from_child[0])

    def serve(self, shape, commands, answers):
        program = None
        for line in commands:
            if line.strip() == "end":
                return
            try:
                if program is None:
                    program = Program(shape)
                command = json.loads(line)
                if "save" in command:
                    answer = torch.save(program.results(), command["save"])
                else:
                    answer = program.host(command["host"]) if "host" in command else program.block(*command["block"])
            except Exception as error:  # told to the parent
                answer = {"error": repr(error)[:300]}
            answers.write(json.dumps(answer) + "\n")
            answers.flush()

    def ask(self, **command):
        self.commands.write(json.dumps(command) + "\n")
        self.commands.flush()

    def answer(self):
        return json.loads(self.answers.readline() or '{"error": "died"}')

    def end(self):
        try:
            # Closing is not enough: children that were started later hold the pipe as well.
            self.commands.write("end\n")
            self.commands.close()
        except BrokenPipeError:
            pass
        _, status = os.waitpid(self.pid, 0)
        made, notes, blocks = choices.read(self.folder)
        shutil.rmtree(self.folder)
        return {"status": status, "choices": made, "notes": notes, "whole_steps": blocks}


def differences(one, other):
    """Relative L2 of each tensor."""
    a, b = torch.load(one), torch.load(other)
    return {name: (torch.linalg.norm(a[name].double() - b[name].double()) / torch.linalg.norm(a[name].double()).clamp_min(1e-30)).item()
            for name in a}


def measure(shape, ways, host_rounds):
    children = {name: Child(shape, {"RNNADVISOR_ACCELERATE": value}) for name, value in ways.items()}
    out = {name: {"blocks": []} for name in ways}
    failed = set()
    tuned = {name for name, value in ways.items() if value in ("exact", "numerics")}

    def take(name):
        answer = children[name].answer()
        if isinstance(answer, dict) and "error" in answer:
            out[name]["error"] = answer["error"]
            failed.add(name)
        return answer

    for child in children.values():
        child.ask(block=[0, 3])  # initialise, and load kernels
    for name in children:
        take(name)
    for name in children:
        if name not in failed:
            # What is accelerated is measured, and then whole steps are compared, before the blocks below begin.
            children[name].ask(block=[1.8, 260] if name in tuned else [0.2, 5])
            if isinstance(times := take(name), list):
                out[name]["warm_up"] = times if name in tuned else []
    for _ in range(ROUNDS):
        for name in children:
            if name not in failed:
                children[name].ask(block=[0.08, 6])
                if isinstance(times := take(name), list):
                    out[name]["blocks"].append(statistics.median(times))
    for _ in range(host_rounds):
        for name in children:
            if name not in failed:
                children[name].ask(host=100)
                if isinstance(times := take(name), list) and len(times) == 2:
                    out[name].setdefault("host", []).append(times)
    if not shape["dropout"] and not ({"plain"} | tuned) & failed:
        folder = tempfile.mkdtemp(dir="/dev/shm")
        for name in ("plain", *sorted(tuned)):
            children[name].ask(save=f"{folder}/{name}")
            take(name)
        for name in sorted(tuned - failed):
            out[name]["differences"] = differences(f"{folder}/plain", f"{folder}/{name}")
        shutil.rmtree(folder)
    for name, child in children.items():
        out[name].update(child.end())
        if out[name]["blocks"]:
            out[name]["ms"] = statistics.median(out[name]["blocks"])
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("shapes")
    parser.add_argument("out")
    parser.add_argument("--with", dest="others", default="")
    parser.add_argument("--host", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--until", type=float, default=1e9, help="start no layer after so many seconds")
    parser.add_argument("--shard", default="0/1", metavar="I/N", help="every Nth layer alone, from the Ith on: one machine or GPU has one shard")
    arguments = parser.parse_args()
    shard, shards = map(int, arguments.shard.split("/"))
    out = pathlib.Path(arguments.out)
    done = {json.loads(line)["index"] for line in out.read_text().splitlines()} if out.exists() else set()
    ways = {"plain": "0", "accelerated": "exact", "again": "0", **{value: value for value in filter(None, arguments.others.split(","))}}
    if arguments.host:
        os.sched_setaffinity(0, {2, 3})  # of all children, too: placement alone makes a factor of two
    begin = time.perf_counter()
    for index, line in enumerate(pathlib.Path(arguments.shapes).read_text().splitlines()):
        if index % shards != shard or index in done or time.perf_counter() - begin > arguments.until:
            continue
        shape = json.loads(line)
        # Conversion to half is for float32 alone.
        here = {**ways, "numerics": "numerics"} if shape["type"] == "float" else ways
        row = {"index": index, "shape": shape, "runs": measure(shape, here, arguments.host)}
        with out.open("a") as file:
            file.write(json.dumps(row) + "\n")
        runs = row["runs"]
        print(index, " ".join(str(v) for v in row["shape"].values()), {k: round(v.get("ms", -1), 3) for k, v in runs.items()},
              [(c["chosen"], c["state"], {v["algo"]: v["state"] for v in c["variants"][1:]}) for c in runs["accelerated"]["choices"]],
              {k: v["error"] for k, v in runs.items() if "error" in v}, flush=True)


main()
