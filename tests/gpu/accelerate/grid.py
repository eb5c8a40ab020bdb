"""Unmodified PyTorch layers as they are and under `RNNADVISOR_ACCELERATE`, a process for each run: times, choices, digests.

grid.py PLUGIN SHAPES.jsonl OUT.jsonl [--seconds S] [--from N] [--to N]: one line a shape, appended; a shape that is there is not run again.
The plugin is preloaded into this process, which imports PyTorch once; each run is a fork of it that initialises CUDA by itself.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import sys
import tempfile
import time

if "librnnadvisor_plugin" not in os.environ.get("LD_PRELOAD", ""):
    folder = tempfile.mkdtemp()
    os.environ.update(LD_PRELOAD=str(pathlib.Path(sys.argv[1]).resolve()), RNNADVISOR_SPOOL=folder, RNNADVISOR_MODE="calls",
                      RNNADVISOR_RECORD="choices")
    os.execv(sys.executable, [sys.executable, *sys.argv])

import torch  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import choices  # noqa: E402

TYPES = {"half": torch.half, "float": torch.float32, "bfloat16": torch.bfloat16}


def layer(shape):
    torch.manual_seed(1)
    kind = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN, "rnn_relu": torch.nn.RNN}[shape["cell"]]
    extra = {"nonlinearity": shape["cell"][4:]} if shape["cell"].startswith("rnn") else {}
    return kind(shape["input"], shape["hidden"], shape["layers"], bidirectional=shape["bidirectional"], dropout=shape.get("dropout", 0.0),
                batch_first=shape.get("batch_first", False), **extra).cuda().to(TYPES[shape["type"]])


def run(shape, seconds):
    """Milliseconds of each step, and a digest of what it computes."""
    torch.backends.cuda.matmul.allow_tf32 = True
    model = layer(shape)
    size = (shape["steps"], shape["batch"], shape["input"])
    if shape.get("batch_first"):
        size = (shape["batch"], shape["steps"], shape["input"])
    generator = torch.Generator(device="cuda").manual_seed(2)
    x = torch.randn(size, generator=generator, device="cuda").to(TYPES[shape["type"]]).requires_grad_(shape["training"])
    weight = None

    def step():
        nonlocal weight
        if not shape["training"]:
            with torch.inference_mode():
                return model(x)[0]
        for p in [x, *model.parameters()]:
            p.grad = None
        y = model(x)[0]
        if weight is None:
            weight = torch.randn(y.shape, generator=generator, device="cuda").to(y.dtype)
        y.backward(weight)
        return y

    times, begin = [], time.perf_counter()
    while time.perf_counter() - begin < seconds or len(times) < 60:
        torch.cuda.synchronize()
        start = time.perf_counter()
        y = step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e3)
        if len(times) >= 4000 or time.perf_counter() - begin > 6 * seconds:
            break
    norms = [y.detach().float().norm().item()]
    if shape["training"]:
        norms += [x.grad.float().norm().item()] + [p.grad.float().norm().item() for p in model.parameters()]
    return times, norms


def in_child(shape, seconds, variables):
    folder = tempfile.mkdtemp()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(read)
            os.environ.update(variables, RNNADVISOR_SPOOL=folder)
            times, norms = run(shape, seconds)
            os.write(write, json.dumps([times, norms]).encode())
            status = 0
        except BaseException as error:  # told to the parent
            os.write(write, json.dumps([repr(error)]).encode())
        os.close(write)
        sys.stdout.flush()
        import ctypes
        ctypes.CDLL(None).exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    made, notes = choices.read(folder)
    shutil.rmtree(folder)
    answer = json.loads(text or '["died"]')
    out = {"status": status, "choices": made, "notes": notes}
    if len(answer) == 1:
        return {**out, "error": answer[0]}
    times, norms = answer
    late = times[len(times) // 2:]
    middle = statistics.median(late)
    quarter = statistics.quantiles(late, n=4)
    return {**out, "steps": len(times), "ms": middle, "quartiles": [quarter[0], quarter[2]], "total_s": sum(times) / 1e3,
            "extra_ms": sum(times[:len(times) // 2]) - middle * (len(times) // 2), "norms": norms}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plugin")
    parser.add_argument("shapes")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=0.7)
    parser.add_argument("--force", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1 << 30)
    parser.add_argument("--until", type=float, default=1e9, help="start no shape after so many seconds")
    arguments = parser.parse_args()
    out = pathlib.Path(arguments.out)
    done = {json.loads(line)["index"] for line in out.read_text().splitlines()} if out.exists() else set()
    begin = time.perf_counter()
    for index, line in enumerate(pathlib.Path(arguments.shapes).read_text().splitlines()):
        if index in done or not arguments.first <= index <= arguments.last or time.perf_counter() - begin > arguments.until:
            continue
        shape = json.loads(line)
        row = {"index": index, "shape": shape}
        row["plain"] = in_child(shape, arguments.seconds, {"RNNADVISOR_ACCELERATE": "0"})
        row["accelerated"] = in_child(shape, 2 * arguments.seconds, {"RNNADVISOR_ACCELERATE": "exact"})
        row["again"] = in_child(shape, arguments.seconds, {"RNNADVISOR_ACCELERATE": "0"})
        for algo in filter(None, arguments.force.split(",")):
            row[f"force:{algo}"] = in_child(shape, arguments.seconds, {"RNNADVISOR_ACCELERATE": f"force:{algo}"})
        with out.open("a") as file:
            file.write(json.dumps(row) + "\n")
        plain, fast = row["plain"], row["accelerated"]
        if "ms" in plain and "ms" in fast:
            print(index, json.dumps(shape), f"{plain['ms']:.3f} -> {fast['ms']:.3f} ({plain['ms'] / fast['ms']:.2f}x), control {row['again'].get('ms', -1):.3f},",
                  [(c["chosen"], c["state"]) for c in fast["choices"]], flush=True)
        else:
            print(index, shape, plain.get("error"), fast.get("error"), plain["status"], fast["status"], flush=True)


main()
