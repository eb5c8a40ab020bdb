#!/usr/bin/env python3
"""Are the constants of the memory formulas what the measurements say, or fitted to a wish? The formulas of docs/models.md once more,
written from that page, on every row of tests/data/h200, split at random into two halves:

  - every row is exact, but those with 2^31 weight elements and more, for which cuDNN answers wrapped numbers;
  - every constant, one smaller or one larger, is wrong for some row of either half. A fit on one half alone would therefore have found the
    same constants, and they hold on the half that was held back.

usage: memory_constants.py [-v]; exit status 1 when one of this is not so.
"""
import json
import pathlib
import random
import sys

DATA = pathlib.Path(__file__).resolve().parents[2] / "data" / "h200"
BYTES = {"half": 2, "bfloat16": 2, "float": 4, "double": 8}

CONSTANTS = {
    "alignment": 32, "reserve: fixed": 256, "reserve: LSTM gates": 4, "reserve: GRU gates": 6, "reserve: RNN gates": 1,
    "base: per pseudo-layer": 8 << 20, "base: fixed": 256, "base: per sequence, padded I/O": 8,
    "conversion: x": 2, "conversion: states": 2, "conversion: outputs": 2, "conversion: D = 1": 2, "conversion: D = 2": 8,
    "forward: kept steps": 256, "forward: D = 2 gates": 2, "forward: D = 2 rows": 4, "forward: persistent gates": 4, "D = 2 states": 4,
    "forward k: LSTM 1": 4, "forward k: LSTM 2": 2, "forward k: GRU": 3, "forward k: RNN": 1,
    "backward k: LSTM 1": 2, "backward k: LSTM 2": 1, "backward k: others": 1,
    "persistent k, D = 1: LSTM 1": 2, "persistent k, D = 1: LSTM 2": 2, "persistent k, D = 1: others": 2,
    "persistent k, D = 2: LSTM 1": 4, "persistent k, D = 2: LSTM 2": 2, "persistent k, D = 2: others": 2,
    "backward: D = 2 widest": 4, "backward: D = 2, L = 1 rows": 2, "backward: D = 2, L > 1 rows": 4, "backward: persistent, L > 1 rows": 2,
    "exchange": 8, "exchange: least, fixed": 4864, "exchange: least, per sequence": 2,
    "F1, smallest batch": 32, "F1, small batch": 16, "F1": 8, "F1: smallest batch up to": 1, "F1: small batch up to": 8,
    "F2 = F1: batch up to": 16, "F2 = F1: steps from": 128, "F2: middle batch up to": 96, "F2, middle batch": 4, "F2, large batch": 2,
}


class Row:
    """The symbols of docs/models.md for a measured configuration."""

    def __init__(self, row):
        lengths = row.get("seq_lengths")
        self.T, self.all_B, self.I = row["seq_length"], row["batch_size"], row["input_size"]
        self.H, self.P, self.L = row["hidden_size"], row["proj_size"], row["num_layers"]
        self.D = 2 if row["direction"] == "bidirectional" else 1
        self.cell, self.lstm = row["cell"], row["cell"] == "lstm"
        self.G = {"lstm": 4, "gru": 3}.get(self.cell, 1)
        self.es = BYTES[row["data_type"]]
        self.B = sum(n > 0 for n in lengths) if lengths else self.all_B
        self.S = sum(lengths) if lengths else self.T * self.all_B
        self.projects = self.P < self.H
        self.converts = row["data_type"] == "float" and row["math_type"] == "tensor_op_allow_conversion"
        self.persistent = row["algo"] != "standard" and row["data_type"] != "bfloat16"
        self.static = row["algo"] == "persist_static"
        self.drops = row.get("dropout", 0) > 0
        self.padded = row["padded_io"]
        self.skips = row.get("input_mode") == "skip_input"
        self.biases = {"no_bias": 0, "single_inp_bias": 1, "single_rec_bias": 1}.get(row.get("bias_mode"), 2)
        self.sequence, self.row = self.B * self.H * self.es, self.S * self.H * self.es
        self.measured = tuple(row["bytes"][k] for k in ("reserve_training", "workspace_inference", "workspace_training"))

    def weights(self, biases):
        recurrent = self.G * self.H * self.P + biases * self.G * self.H + (self.P * self.H if self.projects else 0)
        first = 0 if self.skips else self.G * self.H * self.I
        return self.D * (first + recurrent) + (self.L - 1) * self.D * (self.G * self.H * self.D * self.P + recurrent)


def sizes(r, k):
    """Reserve, inference workspace, training workspace."""
    alignment = k["alignment"]

    def up(value):
        return (value + alignment - 1) // alignment * alignment

    N = r.S * r.D
    gates = k["reserve: LSTM gates"] if r.lstm else k["reserve: GRU gates"] if r.cell == "gru" else k["reserve: RNN gates"]
    hidden, projected = N * r.H * r.L, N * r.P * r.L
    if r.converts:
        reserve = up(2 * hidden * gates) + up(4 * hidden * gates) + up(2 * hidden) + (up(4 * hidden) if r.lstm else 0)
        reserve += up(2 * hidden) + up(2 * projected) if r.projects else 0
    else:
        reserve = up(hidden * gates * r.es) + (up(hidden * r.es) if r.lstm else 0) + up(N * r.H * (r.L - 1) * r.es)
        reserve += up(hidden * r.es) + up(projected * r.es) if r.projects else 0
    reserve += k["reserve: fixed"] + ((r.L - 1) * r.D * up((r.T * r.B * r.D * r.P + 7) // 8) if r.drops else 0)

    copies = up(r.T * r.B * r.I * r.es) + up(r.T * r.B * r.P * r.D * r.es) + 2 * up(r.L * r.D * r.B * r.P * r.es)
    copies += 2 * up(r.L * r.D * r.B * r.H * r.es) if r.lstm else 0
    base = k["base: per pseudo-layer"] * r.L * r.D + k["base: fixed"]
    base += copies + up(k["base: per sequence, padded I/O"] * r.all_B) if r.padded else 0
    if r.converts:
        base += up(2 * r.weights(0)) + up(k["conversion: x"] * r.D * r.S * r.I)
        base += up(k["conversion: states"] * r.D * r.L * r.B * r.H) + up(k["conversion: outputs"] * r.D * r.S * r.H)
    else:
        base += up(r.es * r.weights(0)) + (up(r.D * r.row) if r.projects else 0)

    def states(name, scale=1):
        if r.lstm:
            factors = [k[f"{name}LSTM 1"], k[f"{name}LSTM 2"]]
        elif name == "forward k: ":
            factors = [k[name + ("GRU" if r.cell == "gru" else "RNN")]]
        else:
            factors = [k[f"{name}others"]]
        both = up(k["D = 2 states"] * r.L * r.sequence) if r.D == 2 else 0
        return both + sum(up(scale * factor * r.L * r.sequence) for factor in factors)

    persistent = f"persistent k, D = {r.D}: "
    forward = base + (states(persistent) if r.persistent else states("forward k: ", r.D))
    kept = k["forward: D = 2 gates"] * r.row if r.D == 2 else r.row
    if r.D == 1 and not r.persistent:
        kept = min(kept, k["forward: kept steps"] * r.sequence)
    forward += up(r.G * kept) + (up(k["forward: persistent gates"] * r.G * r.row) if r.persistent else 0)
    forward += up(k["forward: D = 2 rows"] * r.row) if r.D == 2 else up(r.row) if r.drops else 0
    widest = r.S * max(r.I, r.H)
    forward += up(k[f"conversion: D = {r.D}"] * widest) if r.converts else 0

    backward = base + (states(persistent) if r.persistent else states("backward k: ", r.D)) + (copies if r.padded else 0)
    if r.D == 2:
        rows = k["backward: D = 2, L = 1 rows" if r.L == 1 else "backward: D = 2, L > 1 rows"]
        backward += up(k["backward: D = 2 widest"] * widest * r.es) + up(rows * r.row)
    else:
        f1 = k["F1, smallest batch"] if r.all_B <= k["F1: smallest batch up to"] else \
            k["F1, small batch"] if r.all_B <= k["F1: small batch up to"] else k["F1"]
        f2 = f1 if r.all_B <= k["F2 = F1: batch up to"] or r.T >= k["F2 = F1: steps from"] else \
            k["F2, middle batch"] if r.all_B <= k["F2: middle batch up to"] else k["F2, large batch"]
        flight = r.row if r.L == 1 else k["backward: persistent, L > 1 rows"] * r.row if r.persistent else \
            min(r.row, (f1 + r.L * f2) * r.sequence)
        backward += up(widest * r.es) + up(flight)
    if r.persistent:
        exchange = up(k["exchange"] * r.row)
        if r.static:
            exchange = max(exchange, up((k["exchange: least, fixed"] + k["exchange: least, per sequence"] * r.B) * r.H))
        backward += exchange + up((4 if r.lstm else 6 if r.cell == "gru" else 1) * r.row)
    return reserve, forward, max(forward, backward)


def main():
    rows, wrapped = [], 0
    for path in sorted(DATA.glob("*.jsonl")):
        for line in path.open():
            measured = json.loads(line)
            if "status" not in measured:  # times, or peaks of PyTorch: not sizes
                continue
            if any(measured["status"].get(stage) != 0 for stage in ("set_descriptor", "temp_space")):
                continue
            row = Row(measured)
            if row.weights(row.biases) >= 1 << 31:
                wrapped += 1
            else:
                rows.append(row)
    random.Random(1).shuffle(rows)
    halves = [rows[: len(rows) // 2], rows[len(rows) // 2:]]

    def wrong(half, constants):
        return sum(sizes(row, constants) != row.measured for row in half)

    exact = [wrong(half, CONSTANTS) for half in halves]
    print(f"{len(rows)} rows, {sum(exact)} not exact; {wrapped} with wrapped answers left out")
    least, open_ones = None, []
    for name, value in CONSTANTS.items():
        others = (16, 64) if name == "alignment" else (value - 1, value + 1)
        counts = [wrong(half, {**CONSTANTS, name: other}) for other in others for half in halves]
        if "-v" in sys.argv:
            print(f"{name} = {value}: with {others[0]} wrong for {counts[0]} and {counts[1]} rows, with {others[1]} for {counts[2]} and {counts[3]}")
        if min(counts) == 0:
            open_ones.append(name)
        if least is None or min(counts) < least[0]:
            least = (min(counts), name)
    print(f"{len(CONSTANTS)} constants, {len(open_ones)} not decided by both halves {open_ones or ''}; the least decided by {least[0]} rows of a half: {least[1]}")
    return 1 if sum(exact) or open_ones else 0


if __name__ == "__main__":
    sys.exit(main())
