#!/usr/bin/env python3
"""What the card `pytorch/packing-copies` says of packing: packing_summary.py ../results/h200/packing.jsonl (needs NumPy, no GPU)

First the model of what packing and its backward pass take: least squares of relative errors of `packed` minus `handed_on`. Then ratios of ways
to run layers of one direction, by kind of lengths: least, median and most. Of packing-both.jsonl only what two layers of one direction gain.
"""
import json
import sys

import numpy

rows = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
if all("reversed" in row for row in rows):
    for training in (True, False):
        gains = [row["packed"][0] / row["reversed"][0] for row in rows if row["training"] == training]
        print(f"{'training' if training else 'inference'}, packed over two layers of one direction: {min(gains):.2f}, {numpy.median(gains):.2f}, {max(gains):.2f};",
              f"below 0.95 in {sum(g < 0.95 for g in gains)} of {len(gains)}")
    for name in ("float32", "float16"):
        print(f"outputs differ by at most {max(row['difference'] for row in rows if row['data_type'] == name):.2g} of the largest in {name}")
    sys.exit()
trained = [row for row in rows if row["training"]]
took = numpy.array([row["packed"][0] - row["handed_on"][0] for row in trained])
size = {"float32": 4, "float16": 2}
parts = numpy.array([[row["longest"], row["distinct_lengths"], row["longest"] * row["batch"] * row["units"] * size[row["data_type"]] / 1e9, 1] for row in trained])
weight = 1 / numpy.maximum(took, 0.05)
model = numpy.linalg.lstsq(parts * weight[:, None], took * weight, rcond=None)[0]
error = numpy.abs(parts @ model / took - 1)
print(f"training, {len(trained)} layers: {model[3]:.2f} ms, {1e3 * model[0]:.2f} us a time step, {1e3 * model[1]:.0f} us a length, {model[2]:.1f} ms a GB")
print(f"error: median {numpy.median(error):.0%}, 90th percentile {numpy.quantile(error, 0.9):.0%}")
simple = parts[:, [0, 1, 3]] @ [0.00695, 0.130, 0.34]  # of the card: data left out
print(f"as the card has it: median {numpy.median(numpy.abs(simple / took - 1)):.0%}, 90th percentile {numpy.quantile(numpy.abs(simple / took - 1), 0.9):.0%}")
for training in (True, False):
    for lengths in ("equal", "half", "long tail"):
        some = [row for row in rows if row["training"] == training and row["lengths"] == lengths and not row["bidirectional"]]
        for way in ("packed", "bucketed"):
            ratios = [row[way][0] / row["padded"][0] for row in some]
            print(f"{'training' if training else 'inference'}, {lengths}: {way} over padded {min(ratios):.2f}, {numpy.median(ratios):.2f}, {max(ratios):.2f};",
                  f"below 1 in {sum(ratio < 1 for ratio in ratios)} of {len(ratios)}")
