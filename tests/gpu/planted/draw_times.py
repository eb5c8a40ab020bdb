#!/usr/bin/env python3
"""Draws a sweep to learn times from: layers as people have them (draw.py), as they are and with sizes padded, with every algorithm that may run them.

draw_times.py SEED COUNT [CELL,…] > drawn.toml

Variants of one layer are measured beside each other, so that a model of times sees what a change does to the same layer. The order is mixed:
a run that is cut off has measured some of everything. A seed of a held-out set (held-out.toml) must not be used.
"""
import sys

from draw import Dice, draw

# Of a layer, how many variants at most: the more layers there are, the more is seen of sizes that people have.
VARIANTS = 7


def up(value, multiple):
    return -(-value // multiple) * multiple


def padded(c, dice):
    """The layer and sizes that its dimensions may be padded to, the original first, all of them first once."""
    hidden, batch = c["hidden_size"], c["batch_size"]
    width = c.get("input_size", hidden)
    wholly = (up(hidden, 32), up(batch, 8), up(width, 32))
    partly = (up(hidden, dice.one([1, 8, 32, 128])), up(batch, dice.one([1, 8, 64])), up(width, dice.one([1, 8, 32])))
    return list(dict.fromkeys([(hidden, batch, width), wholly, partly]))


def algorithms(c, hidden, batch):
    yield "standard"
    if hidden <= (2560 if c["cell"] == "rnn_tanh" else 1536):
        yield "persist_static"
    # Above these batches it is out of the question, and takes long to be measured.
    if batch <= (48 if c["data_type"] == "float" else 16):
        yield "persist_dynamic"
    if c["data_type"] == "half" and hidden <= (384 if c["cell"] == "rnn_tanh" else 192):
        yield "persist_static_small_h"


def main():
    if len(sys.argv) not in (3, 4) or not all(word.isdecimal() for word in sys.argv[1:3]):
        sys.exit("usage: draw_times.py SEED COUNT [CELL,...]")
    seed, count = map(int, sys.argv[1:3])
    cells = sys.argv[3].split(",") if len(sys.argv) == 4 else None
    dice = Dice(seed)
    rows = []
    for number in range(count):
        c = draw(dice)
        while cells and c["cell"] not in cells:
            c = draw(dice)
        c.pop("dropout", None)
        c.pop("proj_size", None)
        variants = [(sizes, algo) for sizes in padded(c, dice) for algo in algorithms(c, *sizes[:2])
                    if c["data_type"] != "bfloat16" or algo == "standard"]
        while len(variants) > VARIANTS:
            variants.pop(dice.below(len(variants) - 1) + 1)
        for variant, ((hidden, batch, width), algo) in enumerate(variants):
            row = {"id": f"{number:03}-{variant}", "cell": c["cell"], "algo": algo, "data_type": c["data_type"], "math_type": c["math_type"],
                   "hidden_size": hidden, "input_size": width, "batch_size": batch, "seq_length": c["seq_length"],
                   "num_layers": c["num_layers"], "direction": c["direction"]}
            rows.append((dice.below(1 << 30), row))
    print(f'# Drawn by tests/gpu/planted/draw_times.py {" ".join(sys.argv[1:])}: not edited.')
    print('title = "Layers as people have them, with what they may become"\n\n[[sweep]]\nid = "{id}"\nlist = [')
    for _, row in sorted(rows, key=lambda pair: pair[0]):
        print("  { " + ", ".join(f"{key} = {value}" if isinstance(value, int) else f'{key} = "{value}"' for key, value in row.items()) + " },")
    print("]")


if __name__ == "__main__":
    main()
