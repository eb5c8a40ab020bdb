#!/usr/bin/env python3
"""How often the advisor's first suggestion is the fix, by the definitions of ../planted/README.md. Standard library only.

usage: score.py RESULTS.json [--json] [--suite SUITE.toml]     # the suite that the results were measured with
Exit status 1 if a program of the results could not be measured or judged; it is listed and not counted.
"""
import argparse
import json
import sys
import tomllib
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
SUITE = HERE / "suite.toml"
sys.path.insert(0, str(HERE.parents[2] / "advisor" / "whatif" / "torch"))
from rnnadvisor_torch import statistics  # noqa: E402

AS_WRITTEN, CONTROL = "as written", "as written, again"
WORTH = 1.10         # both as in ../planted/planted.h
NEARLY_BEST = 0.90
SAVES = 0.99         # of the peak; less saved is none (docs/validation.md)
# A change of the type is the author's to make: it is the best only where the advisor asks for it, as with the planted configurations.
COMMAND = "Run `rnnadvisor accelerate"
COUNTED = ("exact", "padded", "numerics")
MEANINGS = (*COUNTED, "type", "model")


def read_suite(path=SUITE):
    try:
        return tomllib.loads(Path(path).read_text())
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        sys.exit("{} is no suite that can be read: {}; --suite takes a file like {}".format(path, error, SUITE))


def words(transform):
    """`pad_hidden multiple=128`"""
    return " ".join([transform["kind"], *("{}={}".format(key, json.dumps(value).strip('"')) for key, value in transform["parameters"].items())])


def first_suggestion(findings, program, suite):
    """The first suggestion of the first finding above a remark that is no other model and can be meant for this program; None where there is none.

    A command that measures in the program, and keeps what is faster, is no change of its code: what stands behind it is scored.
    A text that elsewhere means another model does not where a variant that keeps the model realises it."""
    kept = {name for variant in program["variant"] if variant["meaning"] != "model" for name in variant.get("realises", [])}
    passed_over = (*program.get("does_not_apply", []), *(name for name in suite["changes_the_model"] if name not in kept))
    for finding in findings:
        if finding["severity"] == "info":
            continue
        for suggestion in finding["suggestions"]:
            name, change = "{}: {}".format(finding["rule"], suggestion["text"]), suggestion["transform"]
            if suggestion.get("cannot") or suggestion.get("framework") not in (None, "", "pytorch"):
                continue
            if suggestion["text"].startswith(COMMAND) or name.startswith(passed_over) or (change and change["meaning"] == "model"):
                continue
            return {"rule": finding["rule"], "name": name, "text": suggestion["text"], "transform": change and words(change),
                    "consequence": finding.get("consequence")}
    return None


def realising(suggestion, program):
    """The variant that a suggestion means: by its change with parameters, by its kind, or by how its text begins."""
    change = suggestion["transform"]
    for fits in (lambda one: one == change, lambda one: one == change.split()[0]) if change else (suggestion["name"].startswith,):
        for variant in program["variant"]:
            if any(fits(one) for one in variant.get("realises", [])):
                return variant
    return None


def compare(measured, name, work=1.0):
    """Speedup over the program as it is written, for the same work; None where there are no times."""
    before, after = (measured.get(one, {}).get("samples_ms", []) for one in (AS_WRITTEN, name))
    rounds = min(len(before), len(after))
    if rounds == 0 or "failure" in measured[name]:
        return None
    found = statistics.ratio(before[:rounds], after[:rounds], seed=1)
    return {key: found[key] and found[key] * work for key in ("ratio", "low", "high")}


def judge(result, program, suite):
    """One row, or {"problem": why}."""
    row = {"id": program["name"], "fault": program["fault"]}
    measured = {one["name"]: one for one in result.get("variants", [])}
    problem = result.get("failure") or result.get("record_failure")
    if problem or compare(measured, CONTROL) is None:
        return {**row, "problem": problem or "no times"}
    unknown = set(measured) - {AS_WRITTEN, CONTROL} ^ {variant["name"] for variant in program["variant"]}
    if unknown:
        return {**row, "problem": "suite and program differ in " + ", ".join(sorted(unknown))}
    control = compare(measured, CONTROL)
    if control["low"] is None:
        return {**row, "problem": "{} rounds are too few for an interval".format(result.get("rounds"))}
    times = {variant["name"]: compare(measured, variant["name"], variant.get("work", 1.0)) for variant in program["variant"]}
    suggestion = first_suggestion(result["findings"], program, suite)
    meant = realising(suggestion, program) if suggestion else None
    tried = [v["name"] for v in program["variant"] if times[v["name"]] and (v["meaning"] in COUNTED or v is meant)]
    best = max(tried, key=lambda name: times[name]["ratio"], default=None)
    top = times[best] if best else {"ratio": 1.0, "low": 1.0, "high": 1.0}
    row.update(faulty=top["low"] > WORTH, best=best, best_speedup=top["ratio"], best_low=top["low"], best_high=top["high"],
               control_low=control["low"], control_high=control["high"], rule=None, suggestion=None, variant=None, suggested_speedup=None, helps=False, note="",
               failed=[name for name in times if times[name] is None])
    if suggestion:
        row.update(rule=suggestion["rule"], suggestion=suggestion["transform"] or suggestion["text"], variant=meant and meant["name"])
        own = times[meant["name"]] if meant else None
        if own is None:
            row["note"] = "no variant of the suite is this change" if not meant else "its variant failed: " + measured[meant["name"]].get("failure", "no times")
        else:
            row["suggested_speedup"], row["suggested_low"], row["suggested_high"] = own["ratio"], own["low"], own["high"]
            peaks = [measured[name].get("peak_bytes") for name in (AS_WRITTEN, meant["name"])]
            saves = suggestion["consequence"] == "memory" and None not in peaks and peaks[1] < SAVES * peaks[0]
            if saves:
                row["note"] = "saves {:.0f} of {:.0f} MiB".format((peaks[0] - peaks[1]) / 2**20, peaks[0] / 2**20)
            row["helps"] = own["low"] > max(1.0, control["high"]) or saves
        near = own is not None and own["ratio"] >= NEARLY_BEST * top["ratio"]
        row["answer"] = "right" if row["helps"] and near else "wrong"
    else:
        row["answer"] = "missed" if row["faulty"] else "silent"
    return row


def score(results, suite):
    programs = {program["name"]: program for program in suite["program"]}
    rows = [judge(result, programs[name], suite) for name, result in results["programs"].items() if name in programs]
    rows += [{"id": name, "fault": "", "problem": "it is not in the suite"} for name in results["programs"] if name not in programs]
    judged = [row for row in rows if "problem" not in row]
    count = {answer: sum(row["answer"] == answer for row in judged) for answer in ("right", "wrong", "missed", "silent")}
    faulty = [row for row in judged if row["faulty"]]
    said = count["right"] + count["wrong"]
    return {"device": results.get("environment", {}).get("name"), "torch": results.get("environment", {}).get("torch"), "command": results.get("command"),
            "created": results.get("created"), "precision": count["right"] / said if said else None,
            "recall": sum(row["answer"] == "right" for row in faulty) / len(faulty) if faulty else None, **count,
            "helpful": sum(row["helps"] for row in judged), "faulty": len(faulty), "not_judged": len(rows) - len(judged), "programs": rows}


def markdown(total):
    def percent(share):
        return "–" if share is None else "{:.0f} %".format(100 * share)

    def times(value):
        return "–" if value is None else "{:.2f}".format(value)
    lines = ["{}, PyTorch {}: precision {} ({right} right, {wrong} wrong; {helpful} of the suggestions help), recall {} ({missed} missed), {silent} rightly silent{}.".format(
        total["device"], total["torch"], percent(total["precision"]), percent(total["recall"]),
        ", {} not judged".format(total["not_judged"]) if total["not_judged"] else "", **total), "",
        "| program | answer | first suggestion | speedup | best by brute force | speedup | remark |", "| --- | --- | --- | ---: | --- | ---: | --- |"]
    for row in total["programs"]:
        if "problem" in row:
            lines.append("| {} | not judged | – | – | – | – | {} |".format(row["id"], row["problem"].replace("|", "/").replace("\n", " ")))
            continue
        said = "{} (`{}`)".format(row["suggestion"], row["rule"]) if row["rule"] else "–"
        remark = "; ".join([row["note"]] * bool(row["note"]) + ["failed: " + ", ".join(row["failed"])] * bool(row["failed"]))
        lines.append("| {} | {} | {} | {} | {} | {} | {} |".format(row["id"], row["answer"], said, times(row["suggested_speedup"]), row["best"] or "–",
                                                                  times(row["best_speedup"]), remark.replace("|", "/").replace("\n", " ")))
    return "\n".join(lines) + "\n"


def missing_from_document(lines):
    """The rows of a table that docs/validation.md does not have; they are printed."""
    document = set((HERE.parents[2] / "docs" / "validation.md").read_text().splitlines())
    missing = [line for line in lines if line.startswith("|") and line not in document]
    for line in missing:
        print("docs/validation.md does not have this row: " + line)
    return missing


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--suite", type=Path, default=SUITE)
    options = parser.parse_args()
    total = score(json.loads(options.results.read_text()), read_suite(options.suite))
    sys.stdout.write(json.dumps(total, indent=1) + "\n" if options.json else markdown(total))
    return 1 if total["not_judged"] else 0


if __name__ == "__main__":
    sys.exit(main())
