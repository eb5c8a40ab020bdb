#!/usr/bin/env python3
"""write_configurations.py [--seed N] [--count N] > IN.jsonl: configurations for size_probe that the memory model was not made from.

Drawn at random, the same for the same seed, weighted to where the model has terms or limits of its own: every bias mode, plain cells,
unequal and empty sequences (also with projection, dropout, conversion and bfloat16, above 256 steps, and without a longest one of the full
length), lengths and batches around 8, 16, 96, 128 and 256, and allow_conversion with every algorithm.
Those of tests/data/h200 are left out.
"""
import argparse
import json
import pathlib
import random
import sys

ALGOS = ["standard", "persist_static", "persist_dynamic", "persist_static_small_h"]
KEYS = ["algo", "cell", "data_type", "math_precision", "math_type", "direction", "input_size", "hidden_size", "proj_size", "num_layers",
        "seq_length", "batch_size", "layout", "padded_io", "dropout", "bias_mode", "input_mode", "seq_lengths"]


def key(row):
    return json.dumps([row.get(name) for name in KEYS])


def measured():
    folder = pathlib.Path(__file__).resolve().parents[2] / "data" / "h200"
    return {key(json.loads(line)) for path in folder.glob("*.jsonl") for line in path.open() if not line.startswith("#")}


def near(rng, points, most):
    """A number near one of the points where something changes, or anything."""
    if rng.random() < 0.6:
        return max(1, min(most, rng.choice(points) + rng.randint(-2, 2)))
    return int(round(2 ** rng.uniform(0, most.bit_length() - 1)))


def lengths(rng, row):
    """Sequence lengths of one kind; cuDNN wants packed ones sorted and not empty."""
    longest, batch = row["seq_length"], row["batch_size"]
    kind = rng.choice(["full", "short", "halves", "one"])
    top = longest if kind != "short" else max(1, longest - rng.randint(1, max(1, longest // 3)))
    values = [rng.randint(1, top) for _ in range(batch)]
    if kind == "halves":
        values = [top if i % 2 == 0 else max(1, top // 2) for i in range(batch)]
    if kind == "one":
        values = [1] * batch
    if kind != "short":
        values[rng.randrange(batch)] = longest
    if row["layout"] == "seq_major_packed":
        values.sort(reverse=True)
    elif rng.random() < 0.25 and batch > 1:
        for i in rng.sample(range(batch), rng.randint(1, batch - 1)):
            if values[i] != max(values):
                values[i] = 0
    return values


def configuration(rng, number):
    cell = rng.choice(["lstm", "lstm", "gru", "rnn_tanh", "rnn_relu"])
    kind = rng.choices(["half", "float", "bfloat16", "double", "conversion"], [4, 4, 2, 1, 4])[0]
    algo = rng.choice(ALGOS)
    data_type = "float" if kind == "conversion" else kind
    if kind == "conversion":
        math_type = "tensor_op_allow_conversion"
    elif kind in ("half", "bfloat16"):
        math_type = rng.choice(["tensor_op", "default"])
    else:
        math_type = "fma" if kind == "double" and rng.random() < 0.5 else "default"
    limit = {"persist_static": 1536, "persist_static_small_h": 192 if cell in ("lstm", "gru") else 384}.get(algo, 3000)
    hidden = rng.choice([rng.randint(1, limit), min(limit, 8 * rng.randint(1, max(1, limit // 8)))])
    row = {
        "id": f"proof-{number}", "algo": algo, "cell": cell, "data_type": data_type,
        "math_precision": "double" if data_type == "double" else "float", "math_type": math_type,
        "direction": rng.choice(["unidirectional", "unidirectional", "bidirectional"]),
        "input_size": rng.choice([hidden, rng.randint(1, 3000)]), "hidden_size": hidden, "proj_size": hidden,
        "num_layers": rng.choice([1, 1, 2, 2, 3, 4, 5, 7, 11]),
        "seq_length": near(rng, [1, 8, 32, 100, 128, 200, 256, 512], 3000),
        "batch_size": near(rng, [1, 4, 8, 16, 64, 96, 128, 256], 2000),
        "layout": rng.choice(["seq_major_unpacked", "seq_major_packed", "batch_major_unpacked"]),
        "padded_io": rng.random() < 0.5, "dropout": rng.choice([0.0, 0.0, 0.3]),
    }
    if algo == "standard":
        if cell == "lstm" and hidden > 1 and rng.random() < 0.25:
            row["proj_size"] = rng.randint(1, hidden - 1)
        if rng.random() < 0.4:
            row["bias_mode"] = rng.choice(["no_bias", "single_inp_bias", "single_rec_bias"])
        if rng.random() < 0.1:
            row["input_mode"], row["input_size"] = "skip_input", hidden
    if rng.random() < 0.4:
        row["batch_size"] = min(row["batch_size"], 300)
        row["seq_lengths"] = lengths(rng, row)
    return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6000)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    known = measured()
    written = 0
    while written < options.count:
        row = configuration(rng, written)
        if key(row) in known:
            continue
        known.add(key(row))
        print(json.dumps(row))
        written += 1


if __name__ == "__main__":
    sys.exit(main())
