#!/usr/bin/env python3
"""Draws configurations as people have them: a held-out set for planted_suite, which no rule was written for.

draw.py SEED COUNT > held-out.toml

Sizes are drawn from what models in the wild use (powers of two, round decimals, sizes of published models, now and then any number), everything
else with the frequency with which one meets it. What is invalid by cuDNN's documented rules is drawn too, but seldom: people run what ran.
The same seed gives the same file with any Python 3.
"""
import sys

HIDDEN = [64, 100, 128, 200, 256, 300, 320, 400, 500, 512, 600, 650, 700, 768, 800, 1000, 1024, 1150, 1280, 1500, 1536, 2000, 2048]
INPUT = [1, 13, 39, 40, 50, 64, 80, 100, 128, 161, 200, 256, 257, 300, 400, 512, 640, 768, 1024]
BATCH = [1, 4, 8, 10, 16, 20, 25, 30, 32, 40, 48, 50, 64, 80, 96, 100, 128, 200, 250, 256, 500, 512]
LENGTH = [10, 16, 20, 25, 32, 35, 50, 64]


class Dice:
    """A linear congruential generator (Knuth's MMIX constants): Python's own may change with its versions."""

    def __init__(self, seed):
        self.state = seed * 2862933555777941757 + 3037000493 & (1 << 64) - 1
        for _ in range(8):
            self.below(2)

    def below(self, count):
        self.state = self.state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        return (self.state >> 33) * count >> 31

    def one(self, values):
        return values[self.below(len(values))]

    def weighted(self, weights):
        at = self.below(sum(weights.values()))
        for value, weight in weights.items():
            if at < weight:
                return value
            at -= weight
        raise AssertionError

    def size(self, usual, most):
        """One of the usual ones, and in one draw of six any number up to `most`."""
        return 1 + self.below(most) if self.below(6) == 0 else self.one(usual)


def draw(dice):
    c = {"data_type": dice.weighted({"half": 5, "float": 4, "bfloat16": 1}),
         "cell": dice.weighted({"lstm": 6, "gru": 3, "rnn_tanh": 1}),
         "hidden_size": dice.size(HIDDEN, 2048), "batch_size": dice.size(BATCH, 512), "seq_length": dice.one(LENGTH),
         "mode": dice.weighted({"training": 3, "inference": 2})}
    # Frameworks leave the math type to the data type; programs of one's own set what they know of.
    c["math_type"] = dice.weighted({"half": {"tensor_op": 6, "default": 2}, "bfloat16": {"tensor_op": 1},
                                    "float": {"default": 5, "fma": 2, "tensor_op_allow_conversion": 1}}[c["data_type"]])
    c["algo"] = dice.weighted({"standard": 6, "persist_static": 3, "persist_dynamic": 1} if c["data_type"] == "half" else
                              {"standard": 8, "persist_static": 1, "persist_dynamic": 1})
    c["num_layers"] = dice.weighted({1: 5, 2: 3, 3: 1})
    c["direction"] = dice.weighted({"unidirectional": 4, "bidirectional": 1})
    if dice.below(2) == 0:
        c["input_size"] = dice.size(INPUT, 1024)
    if c["num_layers"] > 1 and dice.below(2) == 0:
        c["dropout"] = 0.2
    if c["cell"] == "lstm" and c["hidden_size"] >= 256 and dice.below(12) == 0:
        c["proj_size"] = c["hidden_size"] // 2
    if c["direction"] == "bidirectional":  # a step of it is two
        c["seq_length"] = min(c["seq_length"], 32)
    return c


def main():
    if len(sys.argv) != 3 or not all(word.isdecimal() for word in sys.argv[1:]):
        sys.exit("usage: draw.py SEED COUNT")
    seed, count = map(int, sys.argv[1:])
    dice = Dice(seed)
    print(f"# Drawn by tests/gpu/planted/draw.py {seed} {count}: not edited, and not looked at when a rule is written.")
    for number in range(count):
        c = draw(dice)
        words = [c["cell"], c["data_type"], f"{c['num_layers']}x{c['hidden_size']}", f"b{c['batch_size']}", c["algo"].replace("_", "-")]
        print(f'\n[[configuration]]\nid = "{number:02}-{"-".join(words)}"')
        for key, value in c.items():
            print(f"{key} = {value}" if isinstance(value, (int, float)) else f'{key} = "{value}"')


if __name__ == "__main__":
    main()
