#!/usr/bin/env python3
"""Asks 'rnnadvisor check' about every case of reports.toml and counts which are answered.

score.py BINARY                the score, by verdict and by group, as in README.md
score.py BINARY --first        the first score, before the rules were changed after reading the reports
score.py BINARY --check        exit with 1 when a case that is listed as answered no longer is
score.py BINARY --show ID...   what the program says of these cases, for a reader to judge
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tomllib

VERDICTS = ("answered", "partly", "no", "wrong", "out of scope")


REMARKS_SHOWN = 4  # titles of remarks that check shows by default


def answers(case):
    """Rules that answer a case, in full or by their title."""
    return case["answered_by"] + case.get("answered_by_title", [])


def cases():
    """All cases, whose verdicts are checked for spelling."""
    found = tomllib.loads(pathlib.Path(__file__).with_name("reports.toml").read_text(encoding="utf-8"))["case"]
    for case in found:
        if case["verdict"] not in VERDICTS or (case["verdict"] == "answered" and not answers(case)):
            sys.exit(f"{case['id']}: verdict '{case['verdict']}' with answered_by {case['answered_by']}")
        if ("missing" in case) != (case["verdict"] in ("partly", "no", "wrong")):
            sys.exit(f"{case['id']}: 'missing' belongs to the verdicts partly, no and wrong")
    for key in ("id", "url"):
        for value, count in collections.Counter(case[key] for case in found).items():
            if count > 1:
                sys.exit(f"{key} '{value}' is used {count} times")
    return found


def ask(binary, case):
    """The report of check on one case."""
    configuration = dict(case["configuration"], id=case["id"])
    device = case.get("device", "nvidia-h200")
    command = [binary, "check", "-", "--json", "--quiet", "--fail-on", "never", "--device", device]
    result = subprocess.run(command, input=json.dumps(configuration), capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{case['id']}: exit status {result.returncode}: {result.stderr.strip()}")
    return json.loads(result.stdout)


def shown(report):
    """Rules that the report shows in full by default: of a remark it shows the title only."""
    return {finding["rule"] for finding in report["findings"] if finding["section"] == "action"}


def titles(report):
    """Rules among the remarks whose titles the report shows by default."""
    rules = [finding["rule"] for finding in report["findings"] if finding["section"] != "action"]
    return set(list(dict.fromkeys(rules))[:REMARKS_SHOWN])


def lost(binary, case):
    """Rules that answered this case and are not shown any more."""
    report = ask(binary, case)
    missing = set(case["answered_by"]) - shown(report)
    return sorted(missing | set(case.get("answered_by_title", [])) - titles(report) - shown(report))


def score(found, verdicts):
    """The score as Markdown. A case that lost its answer counts as 'no'."""
    totals = collections.Counter(verdicts.values())
    print(f"{totals['answered']} of {len(found)} reports are answered ({totals['answered'] / len(found):.0%}).\n")
    print("| Group | Reports | " + " | ".join(verdict.capitalize() for verdict in VERDICTS) + " |")
    print("| --- |" + " ---: |" * (len(VERDICTS) + 1))
    groups = collections.defaultdict(list)
    for case in found:
        groups[case["group"]].append(verdicts[case["id"]])
    rows = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    for name, values in rows + [("all", list(verdicts.values()))]:
        counts = (str(values.count(verdict)) for verdict in VERDICTS)
        print(f"| {name} | {len(values)} | " + " | ".join(counts) + " |")
    print("\n| What is missing | Reports |\n| --- | ---: |")
    missing = collections.Counter(case["missing"] for case in found if "missing" in case)
    for name, count in sorted(missing.items(), key=lambda miss: (-miss[1], miss[0])):
        print(f"| {name} | {count} |")


def show(binary, case):
    report = ask(binary, case)
    for key in ("id", "url", "symptom", "cause", "fix", "verdict", "note"):
        print(f"{key:8} {case.get(key, '')}")
    print(f"answer   {report['headline']}")
    for finding in report["findings"]:
        print(f"  {finding['rule']} ({finding['section']}): {finding['title']}. {finding['message']}")
        for suggestion in finding["suggestions"]:
            print(f"    {suggestion['text']}")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", help="the program rnnadvisor")
    parser.add_argument("--first", action="store_true", help="the first score")
    parser.add_argument("--check", action="store_true", help="exit with 1 when an answer is lost")
    parser.add_argument("--show", nargs="+", metavar="ID", help="what the program says of these cases")
    arguments = parser.parse_args()
    found = cases()
    if arguments.show:
        known = {case["id"]: case for case in found}
        for name in arguments.show:
            if name not in known:
                sys.exit(f"no case '{name}'")
            show(arguments.binary, known[name])
        return 0
    verdicts = {}
    if arguments.first:
        score(found, {case["id"]: case.get("first_verdict", case["verdict"]) for case in found})
        return 0
    failed = False
    for case in found:
        verdicts[case["id"]] = case["verdict"]
        if case["verdict"] != "answered":
            ask(arguments.binary, case)  # every configuration stays one that check takes
            continue
        missing = lost(arguments.binary, case)
        if missing:
            verdicts[case["id"]] = "no"
            failed = True
            print(f"{case['id']}: no longer answered by {', '.join(missing)}", file=sys.stderr)
    score(found, verdicts)
    return 1 if arguments.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
