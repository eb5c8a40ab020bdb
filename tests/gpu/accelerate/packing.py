#!/usr/bin/env python3
"""What packing costs in PyTorch: packing.py OUT.jsonl [--until SECONDS]

One line a layer and set of lengths: medians and middle halves (ms) of a step of the layer, timed in turns in one process:
- `packed`: pack_padded_sequence, the layer, pad_packed_sequence,
- `handed_on`: the layer alone, given the PackedSequence (what is left where layers hand it on),
- `padded`: the layer on the padded tensor,
- `bucketed`: as `padded`, on two halves of the batch, each padded to its own longest sequence.
`host` is the same where nothing waits for a step, so that launches count. Training steps have a backward pass down to the input.
packing_summary.py makes the numbers of the card `pytorch/packing-copies` of it.
"""
import argparse
import itertools
import json
import random
import statistics
import time

import torch
from casts import take
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
SHAPES = [  # cell, units, batch, longest sequence, lengths, data type, bidirectional
    (cell, units, batch, longest, lengths, dtype, both)
    for cell, dtype, both in (("lstm", "float32", False), ("lstm", "float16", False), ("gru", "float32", False), ("lstm", "float32", True))
    for units, batch in ((128, 16), (512, 64), (1024, 128))
    for longest in (16, 64, 256, 1024)
    for lengths in ("equal", "half", "long tail")
    if longest * batch <= 64 * 1024
]
WAYS = ("packed", "handed_on", "padded", "bucketed")


def drawn(batch, longest, lengths):
    """`half`: uniform from half the longest on. `long tail`: most are a tenth to a third of the longest."""
    rng = random.Random(batch * longest)
    if lengths == "equal":
        return [longest] * batch
    low = longest // 2 if lengths == "half" else max(1, longest // 10)
    high = longest if lengths == "half" else max(2, longest // 3)
    return sorted([longest] + [rng.randint(low, high) for _ in range(batch - 1)], reverse=True)


def programs(shape, training):
    cell, units, batch, longest, lengths, dtype, both = shape
    dtype = getattr(torch, dtype)
    layer = KINDS[cell](units, units, bidirectional=both, dtype=dtype, device="cuda")
    sizes = drawn(batch, longest, lengths)
    x = torch.randn(longest, batch, units, device="cuda", dtype=dtype, requires_grad=training)
    gradient = torch.randn(longest, batch, units * (2 if both else 1), device="cuda", dtype=dtype)
    middle = batch // 2
    packed_before = pack_padded_sequence(x.detach(), sizes)
    packed_before.data.requires_grad_(training)
    packed_gradient = torch.randn(packed_before.data.shape[0], gradient.shape[2], device="cuda", dtype=dtype)

    def packed():
        return pad_packed_sequence(layer(pack_padded_sequence(x, sizes))[0])[0], gradient

    def handed_on():
        return layer(packed_before)[0].data, packed_gradient

    def padded():
        return layer(x)[0], gradient

    def bucketed():
        first, second = layer(x[:, :middle])[0], layer(x[:sizes[middle], middle:])[0]
        return torch.cat([first.flatten(), second.flatten()]), bucket_gradient

    bucket_gradient = torch.randn(gradient.shape[2] * (longest * middle + sizes[middle] * (batch - middle)), device="cuda", dtype=dtype)

    def step(way):
        with torch.set_grad_enabled(training):
            y, weight = way()
        if training:
            for p in (x, packed_before.data, *layer.parameters()):
                p.grad = None
            y.backward(weight)

    ways = {"packed": packed, "handed_on": handed_on, "padded": padded, "bucketed": bucketed}
    return {name: (lambda way=way: step(way)) for name, way in ways.items()}, sizes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--until", type=float, default=1e9)
    options = parser.parse_args()
    begin = time.perf_counter()
    order = list(itertools.product(SHAPES, (True, False)))
    random.Random(1).shuffle(order)  # whatever the time allows is spread over all
    with open(options.out, "w", encoding="utf-8") as out:
        for shape, training in order:
            if time.perf_counter() - begin > options.until:
                break
            steps, sizes = programs(shape, training)
            samples = {(way, wait): [] for way in WAYS for wait in (True, False)}
            for way in WAYS:
                steps[way]()
            for _ in range(5):
                for way in WAYS:
                    count = max(1, min(20, int(8 / max(0.05, take(steps[way], 1, True)))))
                    for wait in (True, False):
                        samples[way, wait].append(take(steps[way], count, wait))
            row = dict(zip(("cell", "units", "batch", "longest", "lengths", "data_type", "bidirectional"), shape))
            row |= {"training": training, "distinct_lengths": len(set(sizes)), "filled": sum(sizes) / (len(sizes) * max(sizes))}
            for way in WAYS:
                for wait, name in ((True, way), (False, way + " host")):
                    low, median, high = statistics.quantiles(samples[way, wait], n=4)
                    row[name] = [round(v, 4) for v in (median, low, high)]
            row |= {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
            print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main()
