"""Measuring without a GPU and without PyTorch: a stand-in for each of them, and for rnnadvisor. Shows that a program which fails, crashes or hangs is reported and
ends nothing else, that times are interleaved and complete, and that nothing is measured where there is no GPU. Says nothing about the programs."""
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import types
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import score
import timing

STEPS = "import time, os\ndef wait(ms):\n    return lambda: time.sleep(ms / 1e3) or 1.0\n"
GOOD = STEPS + "def variants():\n    return {'as written': lambda: wait(20), 'better': lambda: wait(2), 'broken': lambda: 1 / 0, 'CUDA graph': lambda: wait(5)}\n"
LATE = STEPS + """
count = [0]
def late():
    count[0] += 1
    if count[0] > 12: raise RuntimeError('no more memory')
    return 1.0
def variants():
    return {'as written': lambda: wait(1), 'late': lambda: late}
"""
# A capture that went wrong leaves the process in a state in which the program itself fails.
SPOILT = STEPS + """
spoilt = []
def plain():
    if spoilt: raise RuntimeError('the generator is still recording')
    return 1.0
def capture():
    spoilt.append(1)
    raise RuntimeError('not permitted when stream is capturing')
def variants():
    return {'as written': lambda: plain, 'CUDA graph': capture, 'other': lambda: wait(1)}
"""
CRASH = "import os, signal\ndef variants():\n    os.kill(os.getpid(), signal.SIGSEGV)\n"
HANG = STEPS + "def variants():\n    return {'as written': lambda: wait(1e6)}\n"


def stand_in_torch():
    torch, cuda = types.ModuleType("torch"), types.SimpleNamespace()
    torch.manual_seed = lambda seed: None
    for name in ("synchronize", "reset_peak_memory_stats"):
        setattr(cuda, name, lambda: None)
    cuda.memory_allocated, cuda.max_memory_allocated = lambda: 100, lambda: 350
    torch.cuda = cuda
    return torch


class Timing(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def measure(self, text, rounds=9, seconds=20.0, fork=True):
        path = self.folder / "program.py"
        path.write_text(text)
        timing.one_program(stand_in_torch(), path, self.folder, rounds, seconds, fork)
        result = json.loads((self.folder / "program.json").read_text())
        return result, {one["name"]: one for one in result["variants"]}

    def test_all_variants_have_all_rounds_and_a_broken_one_is_told(self):
        result, variants = self.measure(GOOD)
        self.assertNotIn("failure", result)
        self.assertEqual(result["rounds"], 9)
        for name in ("as written", "as written, again", "better", "CUDA graph"):
            self.assertEqual(len(variants[name]["samples_ms"]), 9, name)
        self.assertIn("ZeroDivisionError", variants["broken"]["failure"])
        self.assertEqual(variants["better"]["peak_bytes"], 250)
        self.assertNotIn("peak_bytes", variants["CUDA graph"])
        self.assertGreater(score.compare(variants, "better")["low"], 2)
        self.assertLess(abs(score.compare(variants, score.CONTROL)["ratio"] - 1), 0.5)

    def test_a_variant_that_fails_later_leaves_the_others_whole(self):
        result, variants = self.measure(LATE)
        self.assertNotIn("failure", result)
        self.assertIn("no more memory", variants["late"]["failure"])
        self.assertEqual(len(variants["as written"]["samples_ms"]), 9)
        self.assertIsNone(score.compare(variants, "late"))

    def test_a_capture_that_spoils_the_process_is_left_out_the_second_time(self):
        result, variants = self.measure(SPOILT)
        self.assertNotIn("failure", result)
        self.assertIn("left out", variants["CUDA graph"]["failure"])
        self.assertEqual(len(variants["other"]["samples_ms"]), 9)

    def test_time_ends_the_rounds_but_not_below_the_least(self):
        result, _ = self.measure(GOOD, rounds=1000, seconds=0.01)
        self.assertEqual(result["rounds"], timing.LEAST_ROUNDS)

    def test_a_crash_is_told(self):
        (self.folder / "torch.py").write_text("")  # for the second try, in a process of its own
        os.environ["PYTHONPATH"] = str(self.folder)
        self.addCleanup(os.environ.pop, "PYTHONPATH")
        result, _ = self.measure(CRASH)
        self.assertIn("status", result["failure"])
        self.assertEqual(result["variants"], [])

    def test_a_hang_is_ended_with_its_process(self):
        begin = time.monotonic()
        limit = timing.in_a_child(lambda: timing.measure(stand_in_torch(), self.program(HANG), 9, time.monotonic() + 1), self.folder / "out.json", 1.0)
        self.assertIn("no answer", limit)
        self.assertLess(time.monotonic() - begin, 10)

    def program(self, text):
        path = self.folder / "program.py"
        path.write_text(text)
        return path


NVIDIA_SMI = "#!/bin/sh\n[ \"$1\" = -L ] && echo 'GPU 0: made up' || echo 1.2.3\n"
# Answers as `profile`, `advise` and `--version` do; one program cannot be recorded.
RNNADVISOR = """#!{python}
import json, sys
if sys.argv[1] == "--version":
    print("rnnadvisor 0")
elif sys.argv[1] == "profile":
    if "cell_loop.py" in sys.argv:
        sys.exit("CUDA error: made up")
    open(sys.argv[sys.argv.index("-o") + 1], "w").close()
else:
    print(json.dumps({{"configurations": [{{}}], "findings": [{{"rule": "pytorch/flat-weights", "severity": "warning", "suggestions": [
        {{"text": "Compact them.", "framework": "pytorch", "cannot": None, "transform": {{"kind": "flatten_parameters", "parameters": {{}}, "meaning": "exact"}}}}]}}]}}))
"""

# As above, but the profile says which steps.py the program would find.
RECORDS_TRULY = RNNADVISOR.replace("""    if "cell_loop.py" in sys.argv:
        sys.exit("CUDA error: made up")
    open(sys.argv[sys.argv.index("-o") + 1], "w").close()
""", """    import os, subprocess
    assert os.path.exists(sys.argv[sys.argv.index("--") + 2])
    found = subprocess.run([sys.executable, "-c", "import steps; print(steps.__file__, end='')"], capture_output=True, text=True).stdout
    with open(sys.argv[sys.argv.index("-o") + 1], "w") as profile:
        profile.write(found)
""")
TORCH = """import types
manual_seed = lambda seed: None
zeros = None
cuda = types.SimpleNamespace(synchronize=lambda: None, reset_peak_memory_stats=lambda: None, memory_allocated=lambda: 100, max_memory_allocated=lambda: 350)
"""


class Measuring(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name, text in (("rnnadvisor", RNNADVISOR.format(python=sys.executable)),):
            self.write(name, text)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def run_measure(self, *more, path):
        command = [sys.executable, str(score.HERE / "measure.py"), str(self.folder / "rnnadvisor"), str(self.folder / "out"), *more]
        environment = {**os.environ, "PATH": path, "PYTHONPATH": str(self.folder)}
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)

    def test_skips_loudly_without_a_gpu(self):
        done = self.run_measure(path=str(self.folder))
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("NEEDS A GPU, NOT RUN: there is no NVIDIA GPU here", done.stdout)
        self.assertFalse((self.folder / "out").exists())

    def test_what_cannot_run_is_in_the_results_and_ends_nothing(self):
        self.write("nvidia-smi", NVIDIA_SMI)
        self.write("torch.py", "")  # can be found; no program can do anything with it
        done = self.run_measure("--only", "cell-loop", "restored-weights", "--budget", "5", path=str(self.folder) + os.pathsep + os.environ["PATH"])
        self.assertEqual(done.returncode, 1, done.stderr)
        results = json.loads((self.folder / "out" / "programs.json").read_text())
        self.assertEqual(list(results["programs"]), ["cell-loop", "restored-weights"])
        self.assertIn("CUDA error: made up", results["programs"]["cell-loop"]["record_failure"])
        known = results["programs"]["restored-weights"]
        self.assertEqual((known["suggestion"]["rule"], known["suggestion"]["consequence"]), ("pytorch/flat-weights", "memory"))
        self.assertEqual(known["suggested_variant"], "flatten_parameters() after restoring")
        self.assertIn("status", known["failure"])
        self.assertEqual(results["environment"]["driver"], "1.2.3")
        self.assertIn("2 not judged", done.stdout)

    def test_profiles_are_judged_again_without_a_gpu(self):
        out = self.folder / "out"
        out.mkdir()
        times = [{"name": name, "samples_ms": [ms] * 9, "peak_bytes": 1} for name, ms in
                 (("as written", 2), ("flatten_parameters() after restoring", 1), ("CUDA graph", 2), ("as written, again", 2))]
        (out / "programs.json").write_text(json.dumps({"programs": {"restored-weights": {"findings": [], "variants": times, "rounds": 9}}}))
        (out / "restored-weights.rnnprof").write_text("")
        done = self.run_measure("--judge-again", path=os.environ["PATH"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("precision 100 % (1 right, 0 wrong", done.stdout)
        again = json.loads((out / "programs.json").read_text())["programs"]["restored-weights"]
        self.assertEqual((again["suggested_variant"], again["variants"]), ("flatten_parameters() after restoring", times))

    def made_up_suite(self):
        programs = self.folder / "suite" / "programs"
        programs.mkdir(parents=True)
        (programs / "made_up.py").write_text(
            "import steps, time\ndef variants():\n"
            "    return {'as written': lambda: lambda: time.sleep(4e-3) or 1.0, 'better': lambda: lambda: time.sleep(1e-3) or 1.0}\n")
        suite = self.folder / "suite" / "suite.toml"
        suite.write_text('changes_the_model = []\n[[program]]\nname = "made-up"\nfile = "made_up.py"\nfault = "one"\n'
                         '[[program.variant]]\nname = "better"\nmeaning = "exact"\nrealises = ["flatten_parameters"]\n')
        return suite

    def test_another_suite_has_programs_of_its_own_and_the_same_steps(self):
        self.write("nvidia-smi", NVIDIA_SMI)
        self.write("rnnadvisor", RECORDS_TRULY.format(python=sys.executable))
        self.write("torch.py", TORCH)
        suite = self.made_up_suite()
        done = self.run_measure("--suite", os.path.relpath(suite), "--budget", "5", "--rounds", "9", path=str(self.folder) + os.pathsep + os.environ["PATH"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = json.loads((self.folder / "out" / "programs.json").read_text())["programs"]["made-up"]
        self.assertEqual((self.folder / "out" / "made-up.rnnprof").read_text(), str(score.HERE / "programs" / "steps.py"))
        self.assertEqual((result["suggested_variant"], result["rounds"]), ("better", 9))
        self.assertIn("precision 100 % (1 right, 0 wrong", done.stdout)
        refused = self.run_measure("--suite", str(suite), "--only", "cell-loop", path=os.environ["PATH"])
        self.assertIn(str(suite), refused.stderr)

    def test_rules_are_put_to_the_recordings_of_any_suite(self):
        suite, folder = self.made_up_suite(), self.folder
        with tarfile.open(folder / "profiles.tar.xz", "w:xz") as archive:
            archive.addfile(tarfile.TarInfo("made-up.rnnprof"))

        def judged(better_ms, *more):
            times = [{"name": name, "samples_ms": [ms] * 9, "peak_bytes": 1} for name, ms in (("as written", 2), ("better", better_ms), ("as written, again", 2))]
            (folder / "results.json").write_text(json.dumps({"programs": {"made-up": {"findings": [], "variants": times, "rounds": 9}}}))
            command = [sys.executable, str(score.HERE / "judged_test.py"), str(folder / "rnnadvisor"), "--suite", str(suite), *more]
            return subprocess.run(command, capture_output=True, text=True, timeout=120)
        files = ("--results", str(folder / "results.json"), "--recordings", str(folder / "profiles.tar.xz"))
        right = judged(1, *files)
        self.assertEqual(right.returncode, 0, right.stdout + right.stderr)
        wrong = judged(3, *files)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("precision has to be at least 0.95: it is 0.000", wrong.stdout)
        self.assertIn("recall has to be at least 0.9: nothing was to find", wrong.stdout)
        self.assertIn("belong together", judged(1).stderr)

    def test_a_name_that_is_no_program_is_refused(self):
        done = self.run_measure("--only", "no-such", path=os.environ["PATH"])
        self.assertNotIn(done.returncode, (0, 77))
        self.assertIn("no-such", done.stderr)


if __name__ == "__main__":
    unittest.main()
