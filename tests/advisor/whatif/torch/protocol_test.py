"""The program as rnnadvisor starts it, scripts and request through stdin, in all that needs no PyTorch."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support
from support import SPLIT, request, start


class WithoutTorch(unittest.TestCase):
    def error(self, given, status, **options):
        code, lines, _, _ = start(given, **options)
        self.assertEqual(code, status, lines)
        self.assertEqual(lines[-1]["type"], "error")
        self.assertEqual(lines[-1]["status"], status)
        for key in ("what", "where", "remedy"):
            self.assertTrue(lines[-1][key], lines[-1])
        return lines[-1]

    def test_wrong_requests(self):
        self.assertIn("line 2 column 3", self.error(b'{\n  x', 2)["where"])
        self.error(b"", 2)
        self.error(b"\xff\xfe", 2)
        self.assertEqual(self.error(request(budget=3), 2)["remedy"], "did you mean 'budget_s'?")
        found = self.error(request(candidates=[SPLIT, {"transforms": [{"kind": "splitlayers"}]}]), 2)
        self.assertEqual((found["where"], found["remedy"]), ("candidates[1].transforms[0].kind", "did you mean 'split_layers'?"))

    def test_no_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "torch.py").write_text("raise ImportError('no such thing here')\n")
            found = self.error(request(), 3, environment={"PYTHONPATH": folder})
            self.assertIn("no such thing here", found["what"])
            (Path(folder) / "torch.py").write_text("__version__ = '1.12.1+cu116'\n")
            self.assertIn("1.12.1", self.error(request(), 3, environment={"PYTHONPATH": folder})["what"])

    def test_code_alone_needs_no_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "torch.py").write_text("raise ImportError('no')\n")
            site = Path(folder) / "program.py"
            site.write_text("import torch\nrnn = torch.nn.LSTM(8, 8, 2)\nrnn(x)\n")
            code, lines, _, _ = start(request(measure=False, call_site={"file": str(site), "line": 3, "root": folder}, candidates=[SPLIT, {"transforms": [{"kind": "split_directions"}]}]),
                                      environment={"PYTHONPATH": folder})
        self.assertEqual((code, [line["type"] for line in lines]), (0, ["candidate", "candidate", "done"]))
        self.assertEqual([line.get("status") for line in lines], ["emitted", "not_applicable", None])
        self.assertEqual(lines[0]["emitted"]["class"], "SplitLayersLSTM")
        self.assertIn("+rnn = SplitLayersLSTM(8, 8, 2)\n", lines[0]["emitted"]["diff"])

    def test_nothing_of_the_folder_is_imported(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("json.py", "random.py", "statistics.py", "ast.py"):
                (Path(folder) / name).write_text("raise SystemExit('imported from the folder')\n")
            code, lines, stderr, _ = start(request(measure=False), cwd=folder)
        self.assertEqual(code, 0, stderr)

    def test_request_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "request.json"
            file.write_text(json.dumps(request(measure=False)))
            environment = {**os.environ, "PYTHONPATH": str(support.SCRIPTS)}
            done = subprocess.run([sys.executable, "-B", "-m", "rnnadvisor_torch", str(file)], capture_output=True, env=environment)
            self.assertEqual(json.loads(done.stdout.splitlines()[0])["status"], "emitted")
            done = subprocess.run([sys.executable, "-B", "-m", "rnnadvisor_torch", str(file) + "x"], capture_output=True, env=environment)
            self.assertEqual((done.returncode, json.loads(done.stdout)["where"]), (2, str(file) + "x"))


if __name__ == "__main__":
    unittest.main()
