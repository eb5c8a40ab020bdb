#!/usr/bin/env python3
"""Layers at random, one JSON line each: draw.py SEED COUNT. The same seed gives the same layers."""
import json
import random
import sys


def draw(random_):
    cell = random_.choices(["lstm", "gru", "rnn_tanh", "rnn_relu"], [50, 35, 10, 5])[0]
    hidden = random_.choice([random_.randrange(64, 1501), 8 * random_.randrange(8, 161), 64 * random_.randrange(1, 21)])
    batch = random_.choice([random_.randrange(1, 257), 8 * random_.randrange(1, 25), 2 ** random_.randrange(0, 8)])
    layers = random_.choices([1, 2, 3, 4], [40, 35, 15, 10])[0]
    training = random_.random() < 0.7
    return {
        "cell": cell, "hidden": hidden, "input": random_.choice([hidden, random_.randrange(16, 1025)]), "layers": layers,
        "bidirectional": random_.random() < 0.4, "batch": batch, "steps": random_.randrange(16, 201),
        "type": random_.choices(["half", "float", "bfloat16"], [60, 30, 10])[0], "training": training,
        "dropout": 0.3 if training and layers > 1 and random_.random() < 0.2 else 0.0, "batch_first": random_.random() < 0.3,
        "packed": random_.choices(["", "equal", "unequal"], [85, 5, 10])[0],
    }


random_ = random.Random(sys.argv[1])
for _ in range(int(sys.argv[2])):
    print(json.dumps(draw(random_)))
