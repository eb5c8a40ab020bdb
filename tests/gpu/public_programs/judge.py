#!/usr/bin/env python3
"""The advisor's first answer to each recorded public program, and what it is worth, by the definitions of ../planted_programs/README.md. Standard library only.

judge.py answers RNNADVISOR RECORDINGS [RESULTS.json]        the first answers, as Markdown; into RESULTS.json with the findings (its times stay)
judge.py times RESULTS.json FOLDER…                          puts what measure.py wrote into RESULTS.json; a later folder's programs replace earlier ones
judge.py score RESULTS.json [--json]                         the table of docs/validation.md
judge.py check RNNADVISOR RESULTS.json RECORDINGS.tar.xz     today's first answers to the recordings are those that were scored; no GPU
"""
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "planted_programs"))
import measure as planted  # noqa: E402
import score  # noqa: E402

# What measure.py switches on or `rnnadvisor try` measures, and the answers that mean it: by rule, or by the change. Of several that mean it the most
# complete one that runs counts: a graph of the step where the step can be captured once what the screen names is out of it, else of its part.
REALISES = {
    "graph of step": ("cuda_graph", "launch/capture-forbidden"),
    "graph to backward": ("cuda_graph", "launch/capture-forbidden"),
    "graph of network": ("cuda_graph",),
    "padded": ("launch/capture-forbidden",),
    "half layers": ("data_type value=half", "pytorch/autocast-casts"),
    "cuDNN on": ("pytorch/native-cells",),
    "accelerate": ("algo value=persist_static",),
}
# A change of the type is the author's to make: it is the best only where the advisor asks for it, as with the planted programs.
TYPES = ("half layers", "autocast float16")


def report(rnnadvisor, recording):
    done = subprocess.run([rnnadvisor, "report", str(recording), "--quiet", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


def answer(found):
    """The first action of the first screen: what it says, and what it promises."""
    for finding in found["findings"]:
        if finding["section"] == "action":
            gain = finding["gain"] or {}
            first = next((one for one in finding["suggestions"] if not one.get("cannot")), None)
            return {"rule": finding["rule"], "title": finding["title"], "do": first and first["text"], "transform": first and first["transform"] and score.words(first["transform"]),
                    **{key: gain.get(key) for key in ("speedup", "low", "high", "scope", "basis", "estimate", "change")}}
    return None


def promised(said):
    if not said or said["speedup"] is None:
        return "–"
    interval = "" if said["low"] is None else " ({:.2f} to {:.2f})".format(said["low"], said["high"])
    return "{:.2f}{} {}".format(said["speedup"], interval, said["scope"])


def answers(rnnadvisor, folder):
    found = {}
    for recording in sorted(pathlib.Path(folder).glob("*.rnnprof")):
        try:
            told = report(rnnadvisor, recording)
        except (ValueError, OSError) as error:
            found[recording.stem] = {"record_failure": str(error)}
            continue
        said = answer(told)
        # A program of many lengths has hundreds of findings; the first are the answer.
        found[recording.stem] = {"headline": told["headline"], "first": said,
                                 "findings": [planted.short(one) for one in told["findings"] if one["severity"] != "info"][:4]}
    return found


def table_of_answers(found):
    lines = ["| program | headline | first answer | promised |", "| --- | --- | --- | --- |"]
    for name, one in found.items():
        said = one.get("first")
        lines.append("| {} | {} | {} | {} |".format(name, one.get("headline", one.get("record_failure", "")).replace("|", "/"),
                                                   "{} (`{}`)".format(said["do"], said["rule"]).replace("|", "/") if said else "–", promised(said)))
    return "\n".join(lines) + "\n"


def read(path):
    path = pathlib.Path(path)
    return json.loads(path.read_text()) if path.exists() else {"version": 1, "programs": {}}


def write(path, results):
    lines = ["{}: {}".format(json.dumps(name), json.dumps(one)) for name, one in results["programs"].items()]
    rest = {key: value for key, value in results.items() if key != "programs"}
    pathlib.Path(path).write_text(json.dumps(rest)[:-1] + ', "programs": {\n' + ",\n".join(lines) + "\n}}\n")


def take_times(results, folders):
    for folder in folders:
        for file in sorted(pathlib.Path(folder).glob("*.json")):
            one = json.loads(file.read_text())
            if not isinstance(one, dict) or "program" not in one:
                continue
            program = results["programs"].setdefault(one["program"], {})
            samples = one.get("samples_ms", {})
            rounds = min((len(times) for times in samples.values()), default=0)
            graphs = one.get("graphs") or {}  # without any captured the steps ran as they are written
            program["variants"] = [{"name": name, "samples_ms": times[:rounds]} for name, times in samples.items() if not name.startswith("graph ") or graphs.get(name)]
            program.update({key: one[key] for key in ("steps_in_a_block", "graphs", "eager_calls", "graph_failures", "fails", "failure") if one.get(key)})
            program["rounds"] = rounds


def variant_of(said, times):
    """The measured change that the first answer means."""
    if said["rule"] == "launch/capture-forbidden" and "instead of packing" in said["do"]:
        return "padded" if "padded" in times else None
    return next((name for name, meant in REALISES.items() if name in times and (said["transform"] in meant or said["rule"] in meant)), None)


def judge(name, program):
    said, times = program.get("first"), {}
    measured = {one["name"]: one["samples_ms"] for one in program.get("variants", [])}
    for variant, samples in measured.items():
        if variant != score.AS_WRITTEN and len(samples) >= score.statistics.LEAST_ROUNDS:
            found = score.statistics.ratio(measured[score.AS_WRITTEN][:len(samples)], samples, seed=1)
            times[variant] = {key: found[key] for key in ("ratio", "low", "high")}
    times.update(program.get("tried", {}))  # by `rnnadvisor try`, with the control of that run
    noise = times.pop(score.CONTROL, None)  # None: nothing of this program was timed here, its `tried` have their own
    control = noise or {"ratio": 1.0, "low": 1.0, "high": 1.0}
    row = {"id": name, "first": said, "times": times, "control": noise, "note": program.get("note", ""), "variant": None, "answer": None}
    meant = variant_of(said, times) if said else None
    row["variant"] = meant
    counted = {one: found for one, found in times.items() if one not in TYPES or one == meant}
    row["best"] = max(counted, key=lambda one: counted[one]["ratio"], default=None)
    gains = row["best"] and counted[row["best"]]["low"] > max(score.WORTH, control["high"])
    if program.get("not_measured"):
        row["note"] = program["not_measured"]
    elif said and program.get("does_not_apply"):
        row.update(answer="wrong", note=program["does_not_apply"])
    elif said and not meant:
        row["note"] = row["note"] or "its change was not measured"
    elif said:
        own = times[meant]
        helps = own["low"] > max(1.0, own.get("control_high", control["high"]))
        row["answer"] = "right" if helps and own["ratio"] >= score.NEARLY_BEST * counted[row["best"]]["ratio"] else "wrong"
    elif times:
        row["answer"] = "missed" if gains else "silent"
    row["faulty"] = bool(gains)
    return row


def score_all(results):
    rows = [judge(name, program) for name, program in results["programs"].items()]
    count = {word: sum(row["answer"] == word for row in rows) for word in ("right", "wrong", "missed", "silent")}
    said, faulty = count["right"] + count["wrong"], [row for row in rows if row["answer"] and row["faulty"]]
    return {"programs": rows, **count, "not_measured": sum(row["answer"] is None for row in rows), "precision": count["right"] / said if said else None,
            "faulty": len(faulty), "recall": sum(row["answer"] == "right" for row in faulty) / len(faulty) if faulty else None}


def times_of(found):
    return "–" if not found else "{:.2f} ({:.2f} to {:.2f})".format(found["ratio"], found["low"], found["high"])


def markdown(total):
    lines = ["{right} right, {wrong} wrong, {missed} missed, {silent} silent, {not_measured} not measured.".format(**total), "",
             "| program | first answer | promised | measured | control | best measured | answer |", "| --- | --- | --- | ---: | ---: | --- | --- |"]
    for row in total["programs"]:
        said, best = row["first"], row["best"]
        lines.append("| {} | {} | {} | {} | {} | {} | {} |".format(
            row["id"], "{} (`{}`)".format(said["change"] or said["title"], said["rule"]) if said else "–", promised(said),
            "{}: {}".format(row["variant"], times_of(row["times"][row["variant"]])) if row["variant"] else "–", times_of(row["control"]),
            "{}: {}".format(best, times_of(row["times"][best])) if best else "–", (row["answer"] or "not measured") + ("; " + row["note"] if row["note"] else "")))
    return "\n".join(lines) + "\n"


def main(words):
    if len(words) < 2:
        sys.exit(__doc__)
    if words[0] == "answers":
        found = answers(words[1], words[2])
        sys.stdout.write(table_of_answers(found))
        if len(words) > 3:
            results = read(words[3])
            for name, one in found.items():
                results["programs"].setdefault(name, {}).update(one)
            write(words[3], results)
    elif words[0] == "times":
        results = read(words[1])
        take_times(results, words[2:])
        write(words[1], results)
    elif words[0] == "score":
        total = score_all(read(words[1]))
        sys.stdout.write(json.dumps(total, indent=1) if "--json" in words else markdown(total))
    elif words[0] == "check":
        results = read(words[2])["programs"]
        with tempfile.TemporaryDirectory() as folder:
            with tarfile.open(words[3]) as recordings:
                # The argument of that name is missing in Debian 12's Python 3.11.2.
                recordings.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
                recordings.extractall(folder)
            today = answers(words[1], folder)
        differ = [name for name, one in today.items() if (one.get("first") or {}).get("rule") != (results[name].get("first") or {}).get("rule")]
        for name in differ:
            print("{}: now {}, scored was {}".format(name, today[name].get("first"), results[name].get("first")))
        return 1 if differ or not today else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
