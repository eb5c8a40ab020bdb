"""The scoring on results that are made up and whose answers are known, and the suites against their programs and the rules. Standard library only."""
import ast
import json
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import score

ROOT = score.HERE.parents[2]
HELD_OUT = score.HERE / "held_out" / "suite.toml"
SUITE = {"changes_the_model": ["tiles/wider: Wider"]}
PROGRAM = {"name": "made-up", "file": "made_up.py", "fault": "one", "variant": [
    {"name": "padded", "meaning": "padded", "realises": ["pad_batch", "advice/text: Two"]},
    {"name": "graph", "meaning": "exact", "realises": ["cuda_graph"]},
    {"name": "half", "meaning": "type", "realises": ["data_type"]},
    {"name": "smaller", "meaning": "model", "realises": ["set_batch"], "work": 0.5},
    {"name": "wide", "meaning": "padded", "realises": ["pad_hidden multiple=128"]}]}


def samples(ms, spread=0.002):
    return [ms * (1 + spread * (-1) ** i) for i in range(21)]


def timed(**ms):
    """Of a program that takes 10 ms."""
    times = {"as written": 10, "as written, again": 10, "padded": 10, "graph": 10, "half": 10, "smaller": 10, "wide": 10, **ms}
    return [{"name": name, "samples_ms": samples(value), "peak_bytes": 1000} for name, value in times.items()]


def change(kind, meaning="exact", **parameters):
    return {"text": "Do it.", "framework": None, "cannot": None, "transform": {"kind": kind, "parameters": parameters, "meaning": meaning}}


def text(words, framework="pytorch"):
    return {"text": words, "framework": framework, "cannot": None, "transform": None}


def finding(rule, *suggestions, severity="opportunity", consequence="slower"):
    return {"rule": rule, "severity": severity, "consequence": consequence, "suggestions": list(suggestions)}


def judged(findings, variants, program=PROGRAM, **more):
    return score.judge({"findings": findings, "variants": variants, "rounds": 21, **more}, program, SUITE)


PAD = finding("batch", change("pad_batch", "padded", multiple=8))


class Answers(unittest.TestCase):
    def test_right_where_the_first_suggestion_is_the_best_or_nearly(self):
        best = judged([PAD], timed(padded=5))
        self.assertEqual((best["answer"], best["variant"], best["best"], best["faulty"]), ("right", "padded", "padded", True))
        self.assertAlmostEqual(best["suggested_speedup"], 2, delta=0.02)
        nearly = judged([PAD], timed(padded=5, graph=4.6))
        self.assertEqual((nearly["answer"], nearly["best"]), ("right", "graph"))

    def test_wrong_where_another_is_much_better(self):
        row = judged([PAD], timed(padded=5, graph=4.4))
        self.assertEqual((row["answer"], row["helps"], row["best"]), ("wrong", True, "graph"))

    def test_wrong_where_it_does_not_help(self):
        row = judged([PAD], timed())
        self.assertEqual((row["answer"], row["helps"], row["faulty"]), ("wrong", False, False))
        slower = judged([PAD], timed(padded=12))
        self.assertEqual((slower["answer"], slower["helps"]), ("wrong", False))

    def test_no_gain_is_confirmed_within_what_the_control_shows(self):
        within = timed(padded=9.8)
        within[1]["samples_ms"] = samples(9.6)
        self.assertEqual(judged([PAD], within)["answer"], "wrong")
        self.assertEqual(judged([PAD], timed(padded=9.8))["answer"], "right")

    def test_missed_and_silent(self):
        self.assertEqual(judged([], timed(graph=5))["answer"], "missed")
        self.assertEqual(judged([], timed(graph=9.5))["answer"], "silent")
        noisy = timed(graph=9)
        noisy[3]["samples_ms"] = [8 if i % 2 else 10.2 for i in range(21)]
        self.assertEqual(judged([], noisy)["answer"], "silent", "the whole interval must lie above 1.10")

    def test_a_change_that_was_not_tried_or_failed_is_wrong(self):
        row = judged([finding("layers", change("split_layers"))], timed(graph=5))
        self.assertEqual((row["answer"], row["variant"]), ("wrong", None))
        self.assertIn("no variant", row["note"])
        failed = timed(graph=5)
        failed[2].update(samples_ms=[], failure="OutOfMemoryError: 80 GiB")
        row = judged([PAD], failed)
        self.assertEqual((row["answer"], row["failed"]), ("wrong", ["padded"]))
        self.assertIn("80 GiB", row["note"])

    def test_another_type_is_the_best_only_where_it_is_asked_for(self):
        half = finding("type", change("data_type", "numerics", value="half"))
        self.assertEqual(judged([], timed(half=2))["answer"], "silent")
        self.assertEqual(judged([PAD], timed(half=2, padded=5))["answer"], "right")
        self.assertEqual(judged([half], timed(half=2, padded=5))["best"], "half")
        self.assertEqual(judged([half], timed(half=6, padded=5))["answer"], "wrong")

    def test_another_model_is_never_the_best_and_is_timed_for_the_same_work(self):
        self.assertEqual(judged([], timed(smaller=1))["answer"], "silent")
        self.assertAlmostEqual(score.compare({one["name"]: one for one in timed(smaller=4)}, "smaller", 0.5)["ratio"], 1.25, delta=0.01)

    def test_memory_that_was_claimed_and_is_saved_confirms(self):
        keeps = finding("memory", change("pad_batch"), consequence="memory")
        less = timed()
        less[2]["peak_bytes"] = 600
        row = judged([keeps], less)
        self.assertEqual((row["answer"], row["faulty"]), ("right", False))
        self.assertEqual(judged([PAD], less)["answer"], "wrong", "no memory was claimed")
        self.assertEqual(judged([keeps], timed())["answer"], "wrong")
        less[3]["samples_ms"] = samples(5)
        self.assertEqual(judged([keeps], less)["answer"], "wrong", "there is a change that halves the time")

    def test_what_was_not_measured_is_not_counted(self):
        self.assertIn("problem", judged([PAD], [], failure="as it is written: no"))
        self.assertIn("problem", judged([PAD], timed(), record_failure="recording took too long"))
        self.assertIn("few", judged([PAD], [{**one, "samples_ms": one["samples_ms"][:3]} for one in timed()])["problem"])
        self.assertIn("differ", judged([PAD], timed(new=1))["problem"])


class Suggestions(unittest.TestCase):
    def first(self, *findings, **more):
        found = score.first_suggestion(findings, {**PROGRAM, **more}, SUITE)
        return found and found["name"]

    def test_remarks_and_other_models_are_none(self):
        self.assertIsNone(self.first(finding("a", change("pad_batch"), severity="info")))
        self.assertIsNone(self.first(finding("a", change("set_batch", "model"))))
        self.assertIsNone(self.first(finding("tiles/wider", text("Wider."))))
        self.assertEqual(self.first(finding("a", change("set_batch", "model"), text("Else.")), PAD), "a: Else.")
        self.assertEqual(self.first(finding("a", change("x"), severity="info"), PAD, finding("b", change("y"))), "batch: Do it.")

    def test_what_pytorch_cannot_or_this_program_is_not_is_passed_over(self):
        cannot = {**change("algo"), "cannot": "PyTorch chooses"}
        self.assertEqual(self.first(finding("a", cannot, text("In C.", "cudnn_api"), text("So."))), "a: So.")
        self.assertEqual(self.first(finding("a", text("If it is cuDNN's."), text("Else.")), does_not_apply=["a: If"]), "a: Else.")

    def test_a_command_is_no_change_of_the_program(self):
        command = {**change("algo"), "text": score.COMMAND + " -- <program>`: it stays as it is."}
        self.assertEqual(self.first(finding("a", command, text("Else."))), "a: Else.")
        self.assertEqual(self.first(finding("a", command), PAD), "batch: Do it.")

    def test_a_variant_that_keeps_the_model_makes_a_text_one_that_is_meant(self):
        def program(meaning):
            return {**PROGRAM, "variant": [{"name": "joined", "meaning": meaning, "realises": ["tiles/wider: Wider"]}]}
        wider = finding("tiles/wider", text("Wider still."))
        said = score.first_suggestion([wider, PAD], program("exact"), SUITE)
        self.assertEqual(said["name"], "tiles/wider: Wider still.")
        self.assertEqual(score.realising(said, program("exact"))["name"], "joined")
        self.assertEqual(score.first_suggestion([wider, PAD], program("model"), SUITE)["name"], "batch: Do it.")

    def test_variants_are_found_by_parameters_kind_or_text(self):
        def meant(*suggestions, rule="r"):
            found = score.realising(score.first_suggestion([finding(rule, *suggestions)], PROGRAM, SUITE), PROGRAM)
            return found and found["name"]
        self.assertEqual(meant(change("pad_batch", multiple=64)), "padded")
        self.assertEqual(meant(change("pad_hidden", multiple=128)), "wide")
        self.assertIsNone(meant(change("pad_hidden", multiple=8)))
        self.assertEqual(meant(text("One.", "jax"), text("Two."), rule="advice/text"), "padded")
        self.assertIsNone(meant(text("One."), text("Two."), rule="advice/text"))


class Totals(unittest.TestCase):
    def results(self):
        programs = {}
        for name, findings, times in [("a", [PAD], {"padded": 5}), ("b", [PAD], {"padded": 5}), ("c", [PAD], {"graph": 5}), ("d", [], {"graph": 5}), ("e", [], {})]:
            programs[name] = {"findings": findings, "variants": timed(**times), "rounds": 21}
        programs["f"] = {"findings": [], "failure": "RuntimeError: no"}
        suite = {**SUITE, "program": [{**PROGRAM, "name": name} for name in programs]}
        return {"environment": {"name": "a GPU", "torch": "2"}, "programs": programs}, suite

    def test_precision_and_recall_are_shares(self):
        total = score.score(*self.results())
        self.assertEqual([total[key] for key in ("right", "wrong", "missed", "silent", "not_judged", "faulty", "helpful")], [2, 1, 1, 1, 1, 4, 2])
        self.assertAlmostEqual(total["precision"], 2 / 3)
        self.assertAlmostEqual(total["recall"], 2 / 4)
        table = score.markdown(total)
        self.assertIn("precision 67 % (2 right, 1 wrong; 2 of the suggestions help), recall 50 % (1 missed), 1 rightly silent, 1 not judged.", table)
        self.assertIn("| f | not judged |", table)

    def test_the_command_prints_both_forms_and_tells_what_was_not_judged(self):
        results, _ = self.results()
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.json"
            file.write_text(json.dumps({**results, "programs": {"language-model-33-streams": {"findings": [], "failure": "no"}}}))
            run = [sys.executable, str(score.HERE / "score.py"), str(file)]
            plain = subprocess.run(run, capture_output=True, text=True)
            self.assertEqual(plain.returncode, 1)
            self.assertIn("precision –", plain.stdout)
            self.assertEqual(json.loads(subprocess.run([*run, "--json"], capture_output=True, text=True).stdout)["not_judged"], 1)


    def test_results_of_another_suite_are_scored_with_it_and_told_without(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "results.json"
            name = score.read_suite(HELD_OUT)["program"][0]["name"]
            file.write_text(json.dumps({"programs": {name: {"findings": [], "failure": "made up"}}}))
            run = [sys.executable, str(score.HERE / "score.py"), str(file)]
            self.assertIn("it is not in the suite", subprocess.run(run, capture_output=True, text=True).stdout)
            self.assertIn("made up", subprocess.run([*run, "--suite", str(HELD_OUT)], capture_output=True, text=True).stdout)
            absent = subprocess.run([*run, "--suite", str(Path(folder) / "none.toml")], capture_output=True, text=True)
            self.assertEqual(absent.returncode, 1)
            self.assertIn("none.toml is no suite that can be read", absent.stderr)


class Suite(unittest.TestCase):
    path, programs, without_fault = score.SUITE, 20, 5

    def setUp(self):
        self.suite = score.read_suite(self.path)

    def test_is_large_enough(self):
        programs = self.suite["program"]
        self.assertGreaterEqual(len(programs), self.programs)
        self.assertGreaterEqual(sum(not program["fault"] for program in programs), self.without_fault)
        self.assertEqual(len({program["name"] for program in programs}), len(programs))
        self.assertEqual({program["file"] for program in programs},
                         {file.name for file in (self.path.parent / "programs").glob("*.py")} - {"steps.py"})

    def test_programs_use_what_steps_has_and_nothing_that_they_do_not_import(self):
        steps = ast.parse((score.HERE / "programs" / "steps.py").read_text())
        defined = {node.name for node in steps.body if isinstance(node, ast.FunctionDef)}
        for program in self.suite["program"]:
            text = (self.path.parent / "programs" / program["file"]).read_text()
            tree = ast.parse(text)
            compile(tree, program["file"], "exec")
            taken = {name.name for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "steps" for name in node.names}
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            self.assertLessEqual(taken, defined, program["name"])
            self.assertLessEqual(taken, used, program["name"])
            self.assertEqual(used & defined, taken, program["name"])
            self.assertIn("run", taken, program["name"])

    def test_names_the_variants_that_the_programs_have(self):
        for program in self.suite["program"]:
            tree = ast.parse((self.path.parent / "programs" / program["file"]).read_text())
            made = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "variants")
            names = [key.value for key in made.body[-1].value.keys]
            self.assertEqual(names[0], score.AS_WRITTEN)
            self.assertEqual(names[1:], [variant["name"] for variant in program["variant"]], program["name"])
            for variant in program["variant"]:
                self.assertIn(variant["meaning"], score.MEANINGS)
                self.assertTrue("work" not in variant or variant["meaning"] == "model")

    def test_names_changes_and_suggestions_that_there_are(self):
        kinds = set(re.findall(r'TransformKind\{\s*"(\w+)"', (ROOT / "advisor/change/transform.cpp").read_text()))
        self.assertIn("cuda_graph", kinds)
        named = list(self.suite["changes_the_model"])
        for program in self.suite["program"]:
            named += program.get("does_not_apply", [])
            for variant in program["variant"]:
                named += variant.get("realises", [])
        for name in named:
            if ": " not in name:
                self.assertIn(name.split()[0], kinds)
                continue
            rule, begins = name.split(": ", 1)
            card = tomllib.loads((ROOT / "rules" / (rule + ".toml")).read_text())
            self.assertTrue(any(one["text"].startswith(begins) for one in card["suggestion"]), name)


class HeldOut(Suite):
    path, programs, without_fault = HELD_OUT, 16, 4

    def test_shares_neither_programs_nor_names_with_the_other_suite(self):
        other = score.read_suite()["program"]
        for key in ("name", "file"):
            self.assertFalse({program[key] for program in self.suite["program"]} & {program[key] for program in other})

    def test_passes_over_the_same_texts(self):
        self.assertEqual(self.suite["changes_the_model"], score.read_suite()["changes_the_model"])


if __name__ == "__main__":
    unittest.main()
