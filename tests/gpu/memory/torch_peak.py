#!/usr/bin/env python3
"""torch_peak.py OUT.jsonl [--seed N] [--count N] [--seconds S] [--fresh]: what PyTorch itself says that training steps of recurrent modules
hold at their peak.

Each configuration, drawn at random and the same for the same seed, runs six steps: input, forward, backward from a given gradient of the
output, optimizer, gradients set to None. A line has the configuration in rnnadvisor's words and in "torch" how the module was set up (how
often flatten_parameters() ran, whether the cache was emptied then), the peak of the last three steps (torch.cuda.max_memory_allocated), the
most that was reserved, and what it was measured with. `torch_errors OUT.jsonl` compares the lines with the model. Configurations that do not
run are lines with "error".

A configuration begins with an allocator that holds nothing. A process that can offer none any more (cuDNN's dropout states stay for its life)
ends, and another one, which has already imported PyTorch, goes on; with --fresh after every configuration. One configuration runs at a time.
"""
import argparse
import collections
import gc
import json
import random
import subprocess
import sys
import tempfile
import time

CELLS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN"}


def draw(rng, number, seed):
    cell = rng.choice(["lstm", "lstm", "gru", "rnn_tanh"])
    hidden = rng.choice([64, 128, 200, 256, 512, 650, 1024, 1500, 2048])
    data_type = rng.choice(["half", "half", "float", "bfloat16"])
    layers = rng.choice([1, 1, 2, 4])
    autocast = data_type == "half" and rng.random() < 0.3
    projection = cell == "lstm" and rng.random() < 0.15
    setup = random.Random(f"{seed}-{number}")  # of its own: the configurations stay those of the first measurement
    return {
        "id": f"torch-{number}" if seed == 1 else f"torch-{seed}-{number}",
        "cell": cell, "data_type": data_type, "math_type": "tensor_op" if data_type == "half" else "default",
        "direction": rng.choice(["unidirectional", "unidirectional", "bidirectional"]),
        "input_size": rng.choice([hidden, 80, 300, 1024]), "hidden_size": hidden, "proj_size": hidden // 2 if projection else hidden,
        "num_layers": layers, "dropout": rng.choice([0.0, 0.3]) if layers > 1 else 0.0,
        "bias_mode": rng.choice(["double_bias", "double_bias", "double_bias", "no_bias"]),
        "seq_length": rng.choice([10, 35, 128, 256, 500]), "batch_size": rng.choice([1, 8, 20, 32, 33, 64, 128, 256]),
        "framework": {"name": "pytorch", "batch_first": rng.random() < 0.3, "autocast": "float16" if autocast else "off"},
        "torch": {"optimizer": rng.choice(["sgd", "sgd_momentum", "adam"]), "flattened": setup.choice([1, 1, 2]),
                  "emptied_cache": setup.random() < 0.5},
    }


def step(torch, rnn, optimizer, row):
    first = row["framework"]["batch_first"]
    autocast = row["framework"]["autocast"] != "off"
    kind = torch.float32 if autocast else {"half": torch.half, "float": torch.float32, "bfloat16": torch.bfloat16}[row["data_type"]]
    shape = (row["batch_size"], row["seq_length"]) if first else (row["seq_length"], row["batch_size"])
    x = torch.empty(*shape, row["input_size"], device="cuda", dtype=kind).fill_(0.1)
    with torch.autocast("cuda", dtype=torch.float16, enabled=autocast):
        y, state = rnn(x)
    dy = torch.ones_like(y)
    y.backward(dy)
    del dy
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)


def measure(torch, row):
    arguments = {"num_layers": row["num_layers"], "bidirectional": row["direction"] == "bidirectional", "dropout": row["dropout"],
                 "bias": row["bias_mode"] != "no_bias", "batch_first": row["framework"]["batch_first"]}
    if row["proj_size"] != row["hidden_size"]:
        arguments["proj_size"] = row["proj_size"]
    rnn = getattr(torch.nn, CELLS[row["cell"]])(row["input_size"], row["hidden_size"], **arguments)
    if row["framework"]["autocast"] == "off":
        rnn = rnn.to({"half": torch.half, "float": torch.float32, "bfloat16": torch.bfloat16}[row["data_type"]])
    rnn = rnn.cuda()  # flattens the parameters for the first time
    for _ in range(row["torch"]["flattened"] - 1):
        rnn.flatten_parameters()
    torch.cuda.synchronize()
    if row["torch"]["emptied_cache"]:
        torch.cuda.empty_cache()
    optimizer = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-4), "sgd_momentum": lambda p: torch.optim.SGD(p, lr=1e-4, momentum=0.9),
                 "adam": lambda p: torch.optim.Adam(p, lr=1e-4)}[row["torch"]["optimizer"]](rnn.parameters())
    for _ in range(3):
        step(torch, rnn, optimizer, row)
    torch.cuda.reset_peak_memory_stats()
    for _ in range(3):
        step(torch, rnn, optimizer, row)
    torch.cuda.synchronize()
    gpu = torch.cuda.get_device_properties(0)
    row["torch"].update(allocated=torch.cuda.max_memory_allocated(), reserved=torch.cuda.max_memory_reserved(), major=gpu.major,
                        minor=gpu.minor, sm_count=gpu.multi_processor_count, gpu=gpu.name, version=torch.__version__,
                        cudnn=torch.backends.cudnn.version())
    return row


def work():
    """Answers each line of the input with one line, as long as the allocator can be emptied."""
    import torch
    torch.cuda.init()
    for line in sys.stdin:
        row = json.loads(line)
        try:
            row = measure(torch, row)
        except Exception as problem:  # anything that PyTorch raises is the result of this configuration
            row["error"] = f"{type(problem).__name__}: {problem}".splitlines()[0]
        if "error" not in row:
            gc.collect()
            torch.cuda.empty_cache()
        alive = "error" not in row and torch.cuda.memory_reserved() == 0
        print(json.dumps({"row": row, "alive": alive}), flush=True)
        if not alive:
            return


class Workers:
    """Processes that wait with PyTorch imported; the GPU is used by one at a time."""

    def __init__(self, waiting):
        self.waiting = collections.deque(self.start() for _ in range(waiting))

    @staticmethod
    def start():
        errors = tempfile.TemporaryFile("w+")  # PyTorch's warnings would fill a pipe that is not read
        worker = subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        return worker, errors

    def measure(self, row, again, fresh):
        """The line of a configuration; `again`: whether another one follows."""
        worker = self.waiting[0][0]
        try:
            worker.stdin.write(json.dumps(row) + "\n")
            worker.stdin.flush()
            answer = worker.stdout.readline()
        except BrokenPipeError:
            answer = ""
        result = json.loads(answer) if answer else None
        if result is None or not result["alive"] or fresh:
            said = self.end(self.waiting.popleft())
            if again:
                self.waiting.append(self.start())
            if result is None:
                return {**row, "error": said[-1][:300] if said else f"exit status {worker.returncode}"}
        return result["row"]

    @staticmethod
    def end(waiting):
        """Ends a process by closing its input; what it said of errors."""
        worker, errors = waiting
        try:
            worker.stdin.close()
        except BrokenPipeError:
            pass
        worker.stdout.close()
        worker.wait()
        errors.seek(0)
        with errors:
            return errors.read().strip().splitlines()

    def close(self):
        for waiting in self.waiting:
            self.end(waiting)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seconds", type=float, help="begin no further configuration after this time")
    parser.add_argument("--fresh", action="store_true", help="a process of its own for each configuration")
    parser.add_argument("--waiting", type=int, default=4, help="processes that import PyTorch ahead (default 4)")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work()
        return 0
    if not options.output:
        parser.error("OUT.jsonl is missing")
    rng = random.Random(options.seed)
    rows = [draw(rng, number, options.seed) for number in range(options.count)]
    workers = Workers(max(1, min(options.waiting, options.count)))
    measured = failed = 0
    begin = time.monotonic()
    with open(options.output, "w") as out:
        for number, row in enumerate(rows):
            if options.seconds is not None and time.monotonic() - begin > options.seconds:
                break
            line = workers.measure(row, number + len(workers.waiting) < len(rows), options.fresh)
            failed += "error" in line
            measured += "error" not in line
            out.write(json.dumps(line) + "\n")
            out.flush()
    workers.close()
    print(f"{measured} measured, {failed} failed, {options.count - measured - failed} not begun, {time.monotonic() - begin:.0f} s")
    return 0 if measured else 1


if __name__ == "__main__":
    sys.exit(main())
