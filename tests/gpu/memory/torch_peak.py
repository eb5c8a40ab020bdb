#!/usr/bin/env python3
"""torch_peak.py OUT.jsonl [--seed N] [--count N]: what PyTorch itself says that training steps of recurrent modules hold at their peak.

Each configuration, drawn at random, runs six steps in a process of its own: input, forward, backward from a given gradient of the output,
optimizer, gradients set to None. A line has the configuration in rnnadvisor's words and in "torch" the peak of the last three steps
(torch.cuda.max_memory_allocated), the most that was reserved, and what it was measured with. `torch_errors OUT.jsonl` compares the lines
with the model. Configurations that do not run are lines with "error".
"""
import argparse
import json
import random
import subprocess
import sys

CELLS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN"}


def draw(rng, number):
    cell = rng.choice(["lstm", "lstm", "gru", "rnn_tanh"])
    hidden = rng.choice([64, 128, 200, 256, 512, 650, 1024, 1500, 2048])
    data_type = rng.choice(["half", "half", "float", "bfloat16"])
    layers = rng.choice([1, 1, 2, 4])
    autocast = data_type == "half" and rng.random() < 0.3
    projection = cell == "lstm" and rng.random() < 0.15
    return {
        "id": f"torch-{number}", "cell": cell, "data_type": data_type, "math_type": "tensor_op" if data_type == "half" else "default",
        "direction": rng.choice(["unidirectional", "unidirectional", "bidirectional"]),
        "input_size": rng.choice([hidden, 80, 300, 1024]), "hidden_size": hidden, "proj_size": hidden // 2 if projection else hidden,
        "num_layers": layers, "dropout": rng.choice([0.0, 0.3]) if layers > 1 else 0.0,
        "bias_mode": rng.choice(["double_bias", "double_bias", "double_bias", "no_bias"]),
        "seq_length": rng.choice([10, 35, 128, 256, 500]), "batch_size": rng.choice([1, 8, 20, 32, 33, 64, 128, 256]),
        "framework": {"name": "pytorch", "batch_first": rng.random() < 0.3, "autocast": "float16" if autocast else "off"},
        "torch": {"optimizer": rng.choice(["sgd", "sgd_momentum", "adam"])},
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


def measure(row):
    import torch
    arguments = {"num_layers": row["num_layers"], "bidirectional": row["direction"] == "bidirectional", "dropout": row["dropout"],
                 "bias": row["bias_mode"] != "no_bias", "batch_first": row["framework"]["batch_first"]}
    if row["proj_size"] != row["hidden_size"]:
        arguments["proj_size"] = row["proj_size"]
    rnn = getattr(torch.nn, CELLS[row["cell"]])(row["input_size"], row["hidden_size"], **arguments)
    if row["framework"]["autocast"] == "off":
        rnn = rnn.to({"half": torch.half, "float": torch.float32, "bfloat16": torch.bfloat16}[row["data_type"]])
    rnn = rnn.cuda()
    rnn.flatten_parameters()
    torch.cuda.synchronize()
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("output", nargs="?")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--one", help="a configuration as JSON: measure it here and print the line")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(json.loads(options.one))))
        return 0
    if not options.output:
        parser.error("OUT.jsonl is missing")
    rng = random.Random(options.seed)
    failed = 0
    with open(options.output, "w") as out:
        for number in range(options.count):
            row = draw(rng, number)
            run = subprocess.run([sys.executable, __file__, "--one", json.dumps(row)], capture_output=True, text=True)
            if run.returncode == 0:
                out.write(run.stdout.splitlines()[-1] + "\n")
            else:
                failed += 1
                row["error"] = run.stderr.strip().splitlines()[-1] if run.stderr.strip() else f"exit status {run.returncode}"
                out.write(json.dumps(row) + "\n")
            out.flush()
    print(f"{options.count - failed} measured, {failed} failed")
    return 1 if failed == options.count else 0


if __name__ == "__main__":
    sys.exit(main())
