#!/usr/bin/env python3
"""The advisor's first answer to each recorded public program, and what it is worth, by the definitions of ../planted_programs/README.md. Standard library only.

judge.py answers RNNADVISOR RECORDINGS [RESULTS.json]        the first answers, as Markdown; into RESULTS.json with the findings (its times stay)
judge.py times RESULTS.json FOLDER…                          puts what measure.py wrote into RESULTS.json; a later folder's programs replace earlier ones
judge.py score RESULTS.json [--json]                         the table of docs/validation.md
judge.py again RNNADVISOR RESULTS.json RECORDINGS [--rows]   the recordings judged by this rnnadvisor, scored with the same times; no GPU. --rows: only the score.
                                                             RECORDINGS: an archive or a folder; programs without a recording there are left out
judge.py check RNNADVISOR RESULTS.json RECORDINGS            docs/validation.md has what `score` and `again` print; no GPU

`rnnadvisor accelerate` and another model are passed over as answers, as with the planted programs: the next suggestion is scored.
"""
import contextlib
import json
import pathlib
import statistics
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
    "one call of the module": ("pytorch/native-cells",),
    "whole sequence": ("launch/per-step-calls",),
    "batches ready": ("launch/waits-for-host",),
    "attention as one product": ("launch/repeated-kernels",),
    "product out of the loop": ("launch/handwritten-cell",),
}
# A command that measures by itself is neither an answer nor the best change; nor are batches that are ready and on the GPU, two changes together.
NO_CHANGES = ("accelerate", "batches on the GPU")
# A change of the type is the author's to make: it is the best only where the advisor asks for it, as with the planted programs.
TYPES = ("half layers", "autocast float16")
GAIN = ("speedup", "low", "high", "scope", "basis", "estimate", "change")
SUITE = {"changes_the_model": score.read_suite()["changes_the_model"]}


def report(rnnadvisor, recording):
    done = subprocess.run([rnnadvisor, "report", str(recording), "--quiet", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout)


def answer(found):
    """The first action of the first screen: what it says, and what it promises."""
    for finding in found["findings"]:
        if finding["section"] == "action":
            gain = finding["gain"] or finding.get("possible_gain") or {}
            first = next((one for one in finding["suggestions"] if not one.get("cannot")), None)
            return {"rule": finding["rule"], "title": finding["title"], "do": first and first["text"], "transform": first and first["transform"] and score.words(first["transform"]),
                    **{key: gain.get(key) for key in GAIN}}
    return None


def scored(program):
    """The first answer, or the next one where it is no change of the code: a command that measures and keeps what is faster, another model, or a text whose
    condition the program does not meet."""
    first = program.get("first")
    if not first:
        return None
    unmet = tuple(program.get("condition_not_met", []))
    texts = {(one["rule"], each["text"]): each for one in program.get("findings", []) for each in one["suggestions"]}
    said = texts.get((first["rule"], first["do"]), {})
    name = "{rule}: {do}".format(**first)
    if not ((first["do"] or "").startswith(score.COMMAND) or name.startswith(unmet) or (said.get("transform") or {}).get("meaning") == "model"):
        return first
    counted = score.first_suggestion(program["findings"], {"variant": [], "does_not_apply": unmet}, SUITE)
    if not counted:
        return None
    finding = next(one for one in program["findings"] if one["rule"] == counted["rule"])
    gain = (finding["gain"] or {}) if finding["rule"] != first["rule"] else {}  # a gain is that of a finding's first suggestion
    return {"rule": finding["rule"], "title": finding["title"], "do": counted["text"], "transform": counted["transform"], **{key: gain.get(key) for key in GAIN}}


def promised(said):
    if not said or said["speedup"] is None:
        return "–"
    interval = "" if said["low"] is None else " ({:.2f} to {:.2f})".format(said["low"], said["high"])
    return "{:.2f}{} {}".format(said["speedup"], interval, said["scope"])


def answers(rnnadvisor, folder, most=None):
    found = {}
    for recording in sorted(pathlib.Path(folder).glob("*.rnnprof")):
        try:
            told = report(rnnadvisor, recording)
        except (ValueError, OSError) as error:
            found[recording.stem] = {"record_failure": str(error)}
            continue
        said = answer(told)
        found[recording.stem] = {"headline": told["headline"], "first": said,
                                 "findings": [planted.short(one) for one in told["findings"] if one["severity"] != "info"][:most]}
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
            told = ("steps_in_a_block", "graphs", "eager_calls", "graph_failures", "fails", "failure", "ended")
            for key in told:
                program.pop(key, None)
            program.update({key: one[key] for key in told if one.get(key)})
            program["rounds"] = rounds
            program["variants"] = []
            for name, times in samples.items():
                if name.startswith("graph ") and not graphs.get(name):
                    continue
                kept = {"name": name, "median_ms": statistics.median(times[:rounds]), "samples_ms": times[:rounds]} if rounds else {"name": name, "samples_ms": []}
                if name != score.AS_WRITTEN and rounds >= score.statistics.LEAST_ROUNDS:
                    kept["speedup"] = compare(samples[score.AS_WRITTEN][:rounds], kept["samples_ms"])
                program["variants"].append(kept)


def compare(before, after):
    """The ratio of medians with its 95 % interval."""
    found = score.statistics.ratio(before, after, seed=1)
    return {key: found[key] for key in ("ratio", "low", "high")}


def variant_of(said, times, eager_calls=0):
    """The measured change that an answer means. eager_calls: of each change, in older results of all together."""
    if said["rule"] == "launch/capture-forbidden" and "for each of a few lengths" in said["do"]:
        # One graph for each length as it is: not where steps ran without one.
        return next((name for name, meant in REALISES.items() if name in times and "cuda_graph" in meant
                     and not (eager_calls.get(name) if isinstance(eager_calls, dict) else eager_calls)), None)
    return next((name for name, meant in REALISES.items() if name in times and (said["transform"] in meant or said["rule"] in meant)), None)


def judge(name, program):
    said, times = scored(program), {}
    measured = {one["name"]: one["samples_ms"] for one in program.get("variants", [])}
    for variant, samples in measured.items():
        if variant != score.AS_WRITTEN and len(samples) >= score.statistics.LEAST_ROUNDS:
            times[variant] = compare(measured[score.AS_WRITTEN][:len(samples)], samples)
    # By `rnnadvisor try`, with the control of that run; what was timed here as well counts as timed here.
    times.update({one: found for one, found in program.get("tried", {}).items() if one not in times})
    noise = times.pop(score.CONTROL, None)  # None: nothing of this program was timed here, its `tried` have their own
    control = noise or {"ratio": 1.0, "low": 1.0, "high": 1.0}
    row = {"id": name, "first": program.get("first"), "scored": said, "times": times, "control": noise, "note": program.get("note", ""), "variant": None, "answer": None}
    meant = variant_of(said, times, program.get("eager_calls", 0)) if said else None
    row["variant"] = meant
    counted = {one: found for one, found in times.items() if one not in NO_CHANGES and (one not in TYPES or one == meant)}
    row["best"] = max(counted, key=lambda one: counted[one]["ratio"], default=None)
    gains = row["best"] and counted[row["best"]]["low"] > max(score.WORTH, counted[row["best"]].get("control_high", control["high"]))
    false = program.get("does_not_apply", {}).get(said["rule"]) if said else None
    if program.get("not_measured"):
        row["note"] = program["not_measured"]
    elif false:
        row.update(answer="wrong", note=false)
    elif said and not meant:
        row["note"] = "; ".join(filter(None, [row["note"], "its change was not measured"]))
    elif said:
        own = times[meant]
        row["helps"] = own["low"] > max(1.0, own.get("control_high", control["high"]))
        row["answer"] = "right" if row["helps"] and own["ratio"] >= score.NEARLY_BEST * counted[row["best"]]["ratio"] else "wrong"
        why = None
        if row["answer"] == "wrong" and row["helps"]:
            why = "helps, but is not the best"
        elif row["answer"] == "wrong" and own["low"] > 1.0:
            why = "not confirmed: the control reaches {:.2f}".format(own.get("control_high", control["high"]))
        row["note"] = "; ".join(filter(None, [row["note"], own.get("note"), why]))
    elif times:
        row["answer"] = "missed" if gains else "silent"
    row["faulty"] = bool(gains)
    return row


def score_all(results):
    rows = [judge(name, program) for name, program in results["programs"].items()]
    count = {word: sum(row["answer"] == word for row in rows) for word in ("right", "wrong", "missed", "silent")}
    said, faulty = count["right"] + count["wrong"], [row for row in rows if row["answer"] and row["faulty"]]
    return {"programs": rows, **count, "not_measured": sum(row["answer"] is None for row in rows), "precision": count["right"] / said if said else None,
            "helpful": sum(row.get("helps", False) for row in rows), "faulty": len(faulty), "found": sum(row["answer"] == "right" for row in faulty),
            "recall": sum(row["answer"] == "right" for row in faulty) / len(faulty) if faulty else None}


def percent(part, whole):
    return "{:.0f} % ({} of {})".format(100 * part / whole, part, whole) if whole else "–"


def line_of_scores(answers_of, which, total):
    """A row of the table of scores in docs/validation.md."""
    return "| {} | {} | {} | {} | {} | {} |".format(answers_of, which, len(total["programs"]) - total["not_measured"], percent(total["right"], total["right"] + total["wrong"]),
                                                 percent(total["found"], total["faulty"]), total["helpful"])


HEAD_OF_SCORES = "| answers | programs | judged | precision | recall | answers that help |\n| --- | --- | ---: | --- | --- | ---: |"
FIRST = "the first answers"
JUDGED_AGAIN = "today's rules, judged again after these programs were seen"


def judged_again(rnnadvisor, results, recordings):
    """(the first answers, this rnnadvisor's) to the programs with a recording, both scored with the times of `results`."""
    with folder_of(recordings) as folder:
        today = answers(rnnadvisor, folder)
    before = {name: results["programs"][name] for name in results["programs"] if name in today}
    after = {}
    for name, program in before.items():
        after[name] = {**{key: value for key, value in program.items() if key not in ("headline", "first", "findings")}, **today[name]}
        # Half layers were timed with the sizes of the first answer.
        said, first = scored(after[name]), program.get("first")
        if said and said["transform"] == "data_type value=half" and said["change"] != (first or {}).get("change"):
            after[name]["note"] = "; ".join(filter(None, [program.get("note"), "half layers were timed with other sizes"]))
    return score_all({"programs": before}), score_all({"programs": after})


@contextlib.contextmanager
def folder_of(recordings):
    if pathlib.Path(recordings).is_dir():
        yield recordings
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(recordings) as archive:
            # The argument of that name is missing in Debian 12's Python 3.11.2.
            archive.extraction_filter = getattr(tarfile, "data_filter", lambda member, path: member)
            archive.extractall(folder)
        yield folder


def times_of(found):
    return "–" if not found else "{:.2f} ({:.2f} to {:.2f})".format(found["ratio"], found["low"], found["high"])


def told(said):
    """The change, or the text's first sentence; of a command the command."""
    words = (said["do"] or said["title"]).split(". ")[0].rstrip(".")
    before, colon, after = words.partition(": ")
    text = said["change"] or (after if colon and before.startswith("Where ") else before)
    return "{} (`{}`)".format("`rnnadvisor accelerate`" if (said["do"] or "").startswith(score.COMMAND) else text, said["rule"])


def markdown(total):
    lines = ["{right} right, {wrong} wrong, {missed} missed, {silent} silent, {not_measured} not measured.".format(**total), "",
             "| program | first answer | promised | measured | best measured | verdict |", "| --- | --- | --- | --- | --- | --- |"]
    for row in total["programs"]:
        first, said, best = row["first"], row["scored"], row["best"]
        answer_told = "–" if not first else told(first)
        if first and said is not first:
            answer_told = "{}, passed over; then {}".format(told(first), told(said) if said else "–")
        lines.append("| {} | {} | {} | {} | {} | {} |".format(
            row["id"], answer_told, promised(said), "{}: {}".format(row["variant"], times_of(row["times"][row["variant"]])) if row["variant"] else "–",
            "{}: {}".format(best, times_of(row["times"][best])) if best else "–", (row["answer"] or "not measured") + ("; " + row["note"] if row["note"] else "")))
    return "\n".join(lines) + "\n"


def main(words):
    if len(words) < 2:
        sys.exit(__doc__)
    if words[0] == "answers":
        found = answers(words[1], words[2], most=4)  # a program of many lengths has hundreds of findings
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
        scores = HEAD_OF_SCORES + "\n" + line_of_scores(FIRST, "all {}".format(len(total["programs"])), total)
        sys.stdout.write(json.dumps(total, indent=1) if "--json" in words else scores + "\n\n" + markdown(total))
    elif words[0] == "again":
        before, after = judged_again(words[1], read(words[2]), words[3])
        if not after["programs"]:
            sys.exit("{} has no recording of a program of {}".format(words[3], words[2]))
        which = "the {} with a recording".format(len(after["programs"]))
        sys.stdout.write("\n".join([HEAD_OF_SCORES, line_of_scores(FIRST, which, before), line_of_scores(JUDGED_AGAIN, which, after)]) + "\n")
        if "--rows" not in words:
            sys.stdout.write("\n" + markdown(after))
    elif words[0] == "check":
        results = read(words[2])
        first, (before, after) = score_all(results), judged_again(words[1], results, words[3])
        which = "the {} with a recording".format(len(after["programs"]))
        rows = [line_of_scores(FIRST, "all {}".format(len(first["programs"])), first), line_of_scores(FIRST, which, before), line_of_scores(JUDGED_AGAIN, which, after)]
        if first["not_measured"] == len(first["programs"]):
            rows = []  # answers that nothing has been measured for yet have no score
        return 1 if score.missing_from_document(rows + markdown(first).splitlines()) or not after["programs"] else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
