#!/usr/bin/env python3
"""What packing costs in PyTorch: packing.py OUT.jsonl [--until SECONDS] [--both-directions]

One line a layer and set of lengths: medians and middle halves (ms) of a step of the layer, timed in turns in one process:
- `packed`: pack_padded_sequence, the layer, pad_packed_sequence,
- `handed_on`: the layer alone, given the PackedSequence (what is left where layers hand it on),
- `padded`: the layer on the padded tensor,
- `bucketed`: as `padded`, on two halves of the batch, each padded to its own longest sequence,
- `reversed`, of bidirectional layers alone, which --both-directions chooses: two layers of one direction on the padded tensor, the second on each
  sequence reversed within its own length. `difference` is how far it is from `packed` at most, over the largest output of `packed`.
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
    for cell, dtype, both in (("lstm", "float32", False), ("lstm", "float16", False), ("gru", "float32", False), ("lstm", "float32", True), ("lstm", "float16", True))
    for units, batch in ((128, 16), (512, 64), (1024, 128))
    for longest in (16, 64, 256, 1024)
    for lengths in ("equal", "half", "long tail")
    if longest * batch <= 64 * 1024
]


def drawn(batch, longest, lengths):
    """`half`: uniform from half the longest on. `long tail`: most are a tenth to a third of the longest."""
    rng = random.Random(batch * longest)
    if lengths == "equal":
        return [longest] * batch
    low = longest // 2 if lengths == "half" else max(1, longest // 10)
    high = longest if lengths == "half" else max(2, longest // 3)
    return sorted([longest] + [rng.randint(low, high) for _ in range(batch - 1)], reverse=True)


def reversed_layers(layer, sizes, longest):
    """The bidirectional layer as two of one direction, with its weights; takes and gives padded tensors (time, batch, features)."""
    kind, units, dtype = type(layer), layer.hidden_size, layer.weight_ih_l0.dtype
    forth, back = (kind(layer.input_size, units, dtype=dtype, device="cuda") for _ in range(2))
    with torch.no_grad():
        for name, value in forth.named_parameters():
            value.copy_(getattr(layer, name))
        for name, value in back.named_parameters():
            value.copy_(getattr(layer, name + "_reverse"))
    lengths = torch.tensor(sizes, device="cuda")
    at = (lengths - 1 - torch.arange(longest, device="cuda")[:, None]).remainder(longest)[..., None]

    def run(x):
        y_back = back(x.gather(0, at.expand_as(x)))[0]
        return torch.cat((forth(x)[0], y_back.gather(0, at.expand_as(y_back))), 2)

    run.parameters = [*forth.parameters(), *back.parameters()]
    run.real = (torch.arange(longest, device="cuda")[:, None] < lengths)[..., None]
    return run


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

    two = reversed_layers(layer, sizes, longest) if both else None

    def reversed_way():
        return two(x), gradient

    bucket_gradient = torch.randn(gradient.shape[2] * (longest * middle + sizes[middle] * (batch - middle)), device="cuda", dtype=dtype)

    def step(way):
        with torch.set_grad_enabled(training):
            y, weight = way()
        if training:
            for p in (x, packed_before.data, *layer.parameters(), *(two.parameters if two else ())):
                p.grad = None
            y.backward(weight)

    ways = {"packed": packed, "handed_on": handed_on, "padded": padded, "bucketed": bucketed} | ({"reversed": reversed_way} if both else {})
    difference = None
    if both:
        with torch.no_grad():
            right = packed()[0]
            difference = ((reversed_way()[0] - right) * two.real).abs().max().item() / right.abs().max().item()
    return {name: (lambda way=way: step(way)) for name, way in ways.items()}, sizes, difference


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--until", type=float, default=1e9)
    parser.add_argument("--both-directions", action="store_true")
    options = parser.parse_args()
    begin = time.perf_counter()
    order = list(itertools.product([shape for shape in SHAPES if shape[-1] or not options.both_directions], (True, False)))
    random.Random(1).shuffle(order)  # whatever the time allows is spread over all
    with open(options.out, "w", encoding="utf-8") as out:
        for shape, training in order:
            if time.perf_counter() - begin > options.until:
                break
            steps, sizes, difference = programs(shape, training)
            samples = {(way, wait): [] for way in steps for wait in (True, False)}
            for way in steps:
                steps[way]()
            for _ in range(5):
                for way in steps:
                    count = max(1, min(20, int(8 / max(0.05, take(steps[way], 1, True)))))
                    for wait in (True, False):
                        samples[way, wait].append(take(steps[way], count, wait))
            row = dict(zip(("cell", "units", "batch", "longest", "lengths", "data_type", "bidirectional"), shape))
            row |= {"training": training, "distinct_lengths": len(set(sizes)), "filled": sum(sizes) / (len(sizes) * max(sizes))}
            if difference is not None:
                row["difference"] = difference
            for way in steps:
                for wait, name in ((True, way), (False, way + " host")):
                    low, median, high = statistics.quantiles(samples[way, wait], n=4)
                    row[name] = [round(v, 4) for v in (median, low, high)]
            row |= {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version()}
            print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main()
