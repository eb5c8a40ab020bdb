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

# What measure.py switches on, and the changes that each realises. A graph of the step is the answer's; where the step cannot be captured as the program
# writes it, the largest part that can.
VARIANTS = [
    {"name": "graph of step", "meaning": "exact", "realises": ["cuda_graph"]},
    {"name": "graph to backward", "meaning": "exact", "realises": ["cuda_graph"]},
    {"name": "graph of network", "meaning": "exact", "realises": ["cuda_graph"]},
    {"name": "padded", "meaning": "padded", "realises": ["pytorch/packed-varying-lengths: ", "launch/short-sequence: "]},
    {"name": "TF32 for matrices", "meaning": "numerics", "realises": ["math_type", "math"]},
    {"name": "autocast float16", "meaning": "type", "realises": ["data_type half", "data_type"]},
]
SUITE = {"changes_the_model": score.read_suite()["changes_the_model"]}


def program_of(name, measured):
    """A program of a suite with the variants that were measured."""
    names = [one["name"] for one in measured]
    return {"name": name, "fault": "", "variant": [one for one in VARIANTS if one["name"] in names]}


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
            program["variants"] = [{"name": name, "samples_ms": times[:rounds]} for name, times in samples.items()]
            program.update({key: one[key] for key in ("steps_in_a_block", "graphs", "eager_calls", "graph_failures", "fails", "failure") if one.get(key)})
            program["rounds"] = rounds


def score_all(results):
    rows = []
    for name, program in results["programs"].items():
        if not program.get("variants"):
            rows.append({"id": name, "fault": "", "problem": program.get("failure") or program.get("not_measured") or "no times"})
        else:
            rows.append(score.judge(program, program_of(name, program["variants"]), SUITE))
    judged = [row for row in rows if "problem" not in row]
    count = {word: sum(row["answer"] == word for row in judged) for word in ("right", "wrong", "missed", "silent")}
    faulty, said = [row for row in judged if row["faulty"]], count["right"] + count["wrong"]
    return {"programs": rows, **count, "precision": count["right"] / said if said else None, "faulty": len(faulty), "helpful": sum(row["helps"] for row in judged),
            "recall": sum(row["answer"] == "right" for row in faulty) / len(faulty) if faulty else None, "not_judged": len(rows) - len(judged),
            "device": results.get("environment", {}).get("name"), "torch": results.get("environment", {}).get("torch")}


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
        sys.stdout.write(json.dumps(total, indent=1) if "--json" in words else score.markdown(total))
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
