#!/usr/bin/env python3
"""What the calibration says of two thresholds of NVIDIA's guide: "greater than 128 or 256" and "persistent below 256".

guide_tables.py ROOT            print the tables of docs/validation.md
guide_tables.py ROOT --check    end with 1 where the document has others

A training step is forward, backward data and backward weights. Configurations that were measured on two machines count with the geometric mean.
"""
import json
import math
import pathlib
import sys

PHASES = ("forward_training", "backward_data", "backward_weights")
BATCHES = (8, 16, 32, 64, 128, 256, 512)
STEPS = 32
BEGIN, END = "<!-- guide tables -->\n", "<!-- end -->"


def steps(root):
    """Milliseconds of a training step of one half LSTM layer as wide as its input, by algorithm, units and batch."""
    times = {}
    for line in (root / "core/device/devices/nvidia-h200.times.jsonl").read_text().splitlines()[1:]:
        row = json.loads(line)
        units = row["hidden_size"]
        plain = (row["cell"] == "lstm" and row["data_type"] == "half" and row.get("math_type") == "tensor_op" and row["seq_length"] == STEPS
                 and row.get("input_size", units) == units and row.get("num_layers", 1) == 1
                 and row.get("direction", "unidirectional") == "unidirectional")
        if plain and all(row["ms"].get(phase, 0) > 0 for phase in PHASES):
            times.setdefault((row.get("algo", "standard"), units, row["batch_size"]), []).append(sum(row["ms"][phase] for phase in PHASES))
    return {key: math.exp(sum(map(math.log, values)) / len(values)) for key, values in times.items()}


def table(head, rows):
    lines = ["| " + head + " | " + " | ".join(f"B {batch}" for batch in BATCHES) + " |", "| --- |" + " ---: |" * len(BATCHES)]
    lines += ["| " + name + " | " + " | ".join(cells) + " |" for name, cells in rows]
    return "\n".join(lines) + "\n"


def tables(times):
    def rate(units, batch):
        ms = times.get(("standard", units, batch))
        # Forward and the two backward passes: a product of the input and one of the state each, 4 gates.
        return f"{3 * 2 * 2 * 4 * units * units * batch * STEPS / ms / 1e9:.3g}" if ms else ""

    def ratio(units, batch):
        static, standard = (times.get((algo, units, batch)) for algo in ("persist_static", "standard"))
        return f"{standard / static:.2f}" if static and standard else ""

    rates = table("TFLOP/s of the standard algorithm", [(f"{units} units", [rate(units, batch) for batch in BATCHES])
                                                         for units in (128, 256, 512, 1024, 2048)])
    ratios = table("persist_static is faster by", [(f"{units} units", [ratio(units, batch) for batch in BATCHES])
                                                    for units in (256, 512, 1024, 1536)])
    return rates + "\n" + ratios


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1])
    text = tables(steps(root))
    if not sys.argv[2:]:
        print(text, end="")
        return
    document = (root / "docs/validation.md").read_text()
    begin = document.find(BEGIN)
    if begin < 0 or document[begin + len(BEGIN):document.find(END, begin)] != text:
        sys.exit("docs/validation.md has other tables than the calibration gives; put these between its marks:\n" + text)


if __name__ == "__main__":
    main()
