#!/usr/bin/env python3
"""Two variants of measure.py against each other: the ratios of the rounds that have both, their median, and its 95 % interval by
bootstrap.

usage: compare.py VARIANT OTHER FILE.jsonl… [--case launch-bound]
"""
import argparse
import json
import random
import statistics

parser = argparse.ArgumentParser()
parser.add_argument("variant")
parser.add_argument("other")
parser.add_argument("files", nargs="+")
parser.add_argument("--case", default="launch-bound")
options = parser.parse_args()
ratios = []
for file in options.files:
    rounds = {}
    for line in open(file):
        row = json.loads(line)
        if row.get("case") == options.case:
            rounds.setdefault(row["round"], {})[row["variant"]] = row["median_ms"]
    ratios += [r[options.variant] / r[options.other] for r in rounds.values() if options.variant in r and options.other in r]
if not ratios:
    raise SystemExit(f"no round has both '{options.variant}' and '{options.other}'")
generator = random.Random(1)
medians = sorted(statistics.median(generator.choices(ratios, k=len(ratios))) for _ in range(10000))
print(f"{options.variant} / {options.other}, {options.case}: median {statistics.median(ratios):.3f} of {len(ratios)} rounds "
      f"({medians[250]:.3f} to {medians[-251]:.3f}), single rounds {min(ratios):.2f} to {max(ratios):.2f}")
