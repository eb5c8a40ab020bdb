#!/usr/bin/env python3
"""Tables of what grid.py measured: score.py RESULTS.jsonl …, shards together. Times are medians of whole steps, plain being both plain runs together."""
import fileinput
import json
import math
import statistics

rows = []
for line in fileinput.input():
    row = json.loads(line)
    runs = row["runs"]
    if any("error" in run for run in runs.values()):
        print(f"{row['index']}: {[run.get('error') for run in runs.values()]}")
        continue
    plain = statistics.median(runs["plain"]["blocks"] + runs["again"]["blocks"])
    fast = runs["accelerated"]["ms"]
    choices = runs["accelerated"]["choices"]
    others = [run["ms"] for name, run in runs.items() if name.startswith("force:")]
    rows.append({"shape": row["shape"], "plain": plain, "fast": fast, "speedup": plain / fast, "best": min([plain, *others]),
                 "control": runs["plain"]["ms"] / runs["again"]["ms"],
                 "chosen": any(c["chosen"] != c["variants"][0]["algo"] for c in choices),
                 "tuning": sum(c["tuning_ms"] for c in choices)})
rows.sort(key=lambda row: -row["speedup"])
for row in rows:
    shape = row["shape"]
    name = f"{shape['cell']} {shape['layers']}x{shape['hidden']}{' bidirectional' if shape['bidirectional'] else ''} {shape['type']} B{shape['batch']} T{shape['steps']}"
    print(f"| {name}{'' if shape['training'] else ', inference'} | {row['plain']:.2f} | {row['fast']:.2f} | {row['speedup']:.2f} | {row['control']:.2f} | "
          f"{'other' if row['chosen'] else 'own'} | {row['tuning']:.0f} |")


def mean(values):
    return math.exp(statistics.mean(map(math.log, values))) if values else float("nan")


changed, kept = [r for r in rows if r["chosen"]], [r for r in rows if not r["chosen"]]
print(f"\n{len(rows)} layers, geometric mean {mean([r['speedup'] for r in rows]):.2f}; {len(changed)} got another algorithm, {mean([r['speedup'] for r in changed]):.2f} "
      f"({min(r['speedup'] for r in changed):.2f} to {max(r['speedup'] for r in changed):.2f}); {len(kept)} kept theirs, {mean([r['speedup'] for r in kept]):.3f}; "
      f"plain against plain {mean([r['control'] for r in rows]):.3f}, {min(r['control'] for r in rows):.2f} to {max(r['control'] for r in rows):.2f}")
print(f"of those with another algorithm {sum(r['fast'] <= 1.05 * r['best'] for r in changed)} of {len(changed)} within 5 % of the best that was measured")
print(f"kept theirs though another is faster by more than 10 %: {[r['shape'] for r in kept if r['best'] < 0.9 * min(r['plain'], r['fast'])]}")
print(f"slower than the program's own by more than 3 %: {[(r['shape'], round(r['plain'] / r['fast'], 3), 'control', round(r['control'], 3), 'other' if r['chosen'] else 'own') for r in rows if r['fast'] > 1.03 * r['plain']]}")
