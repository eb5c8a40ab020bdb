"""From a call to a diff: what is found, what is not certain, and that patch and git apply take the diff. Standard library only."""
import ast
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import support
from rnnadvisor_torch import callsite

NEW = ("SplitLayersLSTM", "rnn_split_layers")


def line_of(text, mark="# CALL"):
    return next(number for number, line in enumerate(text.split("\n"), 1) if mark in line)


def changed(text, layer="LSTM"):
    return callsite.change(text, line_of(text), layer, *NEW)[0]


SCRIPT = """import torch

rnn = torch.nn.LSTM(8, 8, num_layers=2).cuda().half()
y, _ = rnn(x)  # CALL
"""
MODEL = '''"""A model."""
from __future__ import annotations
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 8)
        self.rnn = nn.LSTM(
            8, 8,
            num_layers=2,
        )
        self.norm = nn.LayerNorm(8)

    def forward(self, x, state=None):
        x = self.embedding(x)
        y, state = self.norm(self.rnn(x, state)[0])  # CALL
        return y
'''


class Found(unittest.TestCase):
    def test_script(self):
        self.assertEqual(changed(SCRIPT), SCRIPT.replace("import torch\n", "import torch\nfrom rnn_split_layers import SplitLayersLSTM\n")
                         .replace("torch.nn.LSTM", "SplitLayersLSTM"))

    def test_model(self):
        self.assertEqual(changed(MODEL), MODEL.replace("from torch import nn\n", "from torch import nn\nfrom rnn_split_layers import SplitLayersLSTM\n")
                         .replace("nn.LSTM(", "SplitLayersLSTM("))

    def test_spellings(self):
        for imports, name in (("import torch", "torch.nn.LSTM"), ("import torch.nn as nn", "nn.LSTM"), ("from torch import nn", "nn.LSTM"),
                              ("from torch.nn import LSTM", "LSTM"), ("from torch.nn import LSTM as Layer", "Layer"), ("import torch as t", "t.nn.LSTM"),
                              ("import torch\nimport torch.nn", "torch.nn.LSTM"), ("from torch.nn.modules.rnn import LSTM", "LSTM")):
            with self.subTest(name=name):
                text = "{}\nclass M:\n    def __init__(self):\n        self.a = {}(8, 8)\n    def forward(self, x):\n        return self.a.forward(x)  # CALL\n".format(imports, name)
                self.assertIn("self.a = SplitLayersLSTM(8, 8)", changed(text))

    def test_places(self):
        for text in ("import torch\nmodel = M()\nclass M:\n    def __init__(self):\n        self.encoder = torch.nn.LSTM(1, 2)\nmodel.encoder(x)  # CALL\n",
                     "import torch\ndef main():\n    rnn = torch.nn.LSTM(1, 2)\n    def step(x):\n        return rnn(x)  # CALL\n",
                     "import torch\nrnn: torch.nn.Module = torch.nn.LSTM(1, 2)\ndef f(x):\n    return rnn(x)  # CALL\n",
                     "import torch\ny = torch.nn.LSTM(1, 2)(x)  # CALL\n",
                     "import torch\nrnn = torch.nn.LSTM(1, 2)\ndef other():\n    rnn = 3\ny = rnn(x)  # CALL\n",
                     "import torch\nrnn = torch.nn.LSTM(1, 2)\ny = rnn(\n    x,  # CALL\n)\n"):
            with self.subTest(text=text):
                result = changed(text)
                self.assertIn("SplitLayersLSTM(1, 2)", result)
                self.assertEqual(result.count("SplitLayersLSTM"), 2)

    def test_bytes_and_columns_beyond_ascii(self):
        text = SCRIPT.replace("rnn = ", "größe = '日本'; rnn = ")
        self.assertIn("größe = '日本'; rnn = SplitLayersLSTM(8", changed(text))

    def test_line_ends_stay(self):
        result = changed(SCRIPT.replace("\n", "\r\n"))
        self.assertEqual(result.count("\r\n"), SCRIPT.count("\n") + 1)
        self.assertEqual(result.replace("\r\n", ""), result.replace("\r\n", "").replace("\n", ""))


class Uncertain(unittest.TestCase):
    CASES = {
        "made elsewhere": "import torch\nfrom models import make\nrnn = make()\nrnn(x)  # CALL\n",
        "handed in": "import torch\nrnn = torch.nn.LSTM(1, 2)\ndef f(rnn, x):\n    return rnn(x)  # CALL\n",
        "set in 2 places": "import torch\nclass M:\n    def __init__(self, big):\n        if big:\n            self.rnn = torch.nn.LSTM(1, 9)\n        else:\n            self.rnn = torch.nn.LSTM(1, 2)\n    def forward(self, x):\n        return self.rnn(x)  # CALL\n",
        "not made in this file by a plain": "import torch\nclass M:\n    def __init__(self):\n        self.layers = torch.nn.ModuleList(torch.nn.LSTM(1, 2) for _ in range(3))\n    def forward(self, x):\n        return self.layers[0](x)  # CALL\n",
        "several layers": "import torch\na = torch.nn.LSTM(1, 2)\nb = torch.nn.LSTM(2, 2)\nb(a(x)[0])  # CALL\n",
        "not the LSTM": "import torch\nrnn = torch.nn.GRU(1, 2)\nrnn(x)  # CALL\n",
        "has no call": "import torch\nrnn = torch.nn.LSTM(1, 2)\n# CALL\n",
        "no Python": "import torch\nrnn = torch.nn.LSTM(1, 2\nrnn(x) = # CALL\n",
        "has a name": "import torch\nSplitLayersLSTM = 1\nrnn = torch.nn.LSTM(1, 2)\nrnn(x)  # CALL\n",
        "line of an import": "import torch; rnn = torch.nn.LSTM(1, 2)\nrnn(x)  # CALL\n",
        "line separators": "import torch\nrnn = torch.nn.LSTM(1, 2)\n\x0c\nrnn(x)  # CALL\n",
    }
    SAME = ["from mine import torch\nrnn = torch.nn.LSTM(1, 2)\nrnn(x)  # CALL\n",  # another torch
            "import torch\ntorch = fake\nrnn = torch.nn.LSTM(1, 2)\nrnn(x)  # CALL\n",
            "from torch.nn import *\nrnn = LSTM(1, 2)\nrnn(x)  # CALL\n",
            "import torch\nrnn = wrap(torch.nn.LSTM(1, 2))\nrnn(x)  # CALL\n",
            "import torch\nrnn = torch.nn.LSTM(1, 2) if big else None\nrnn(x)  # CALL\n",
            "import torch\nclass A:\n    def __init__(self):\n        self.rnn = torch.nn.LSTM(1, 2)\nclass B:\n    def forward(self, x):\n        return self.rnn(x)  # CALL\n",
            "import torch\nfor rnn in [torch.nn.LSTM(1, 2)]:\n    rnn(x)  # CALL\n"]

    def test_says_why(self):
        for words, text in self.CASES.items():
            with self.subTest(words=words):
                with self.assertRaises(callsite.Uncertain) as caught:
                    changed(text)
                if words not in ("made elsewhere", "handed in"):
                    self.assertIn(words, str(caught.exception))

    def test_no_diff(self):
        for text in self.SAME:
            with self.subTest(text=text):
                self.assertRaises(callsite.Uncertain, changed, text)

    def test_files_that_cannot_be_read(self):
        with tempfile.TemporaryDirectory() as folder:
            latin = Path(folder) / "latin.py"
            latin.write_bytes(b"# \xe9\n")
            for file in (latin, Path(folder) / "none.py", Path(folder)):
                found = callsite.propose(str(file), 1, "LSTM", *NEW)
                self.assertIsNone(found["diff"])
                self.assertTrue(found["reason"])

    def test_torn_sources_never_raise_anything_else(self):
        generator = random.Random(4)
        for _ in range(600):
            text = MODEL if generator.random() < 0.5 else SCRIPT
            at, length = generator.randrange(len(text)), generator.randrange(12)
            torn = text[:at] + generator.choice(["", "(", "\n", "=", "x", "é", "    ", '"""']) + text[at + length:]
            try:
                result, line = callsite.change(torn, generator.randrange(1, 25), "LSTM", *NEW)
            except callsite.Uncertain:
                continue
            self.assertGreater(line, 0)
            ast.parse(result.lstrip("\ufeff"))


class Diffs(unittest.TestCase):
    """The diff, given to the tools that people use, makes exactly the changed text."""

    def apply(self, text, command):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "package" / "model.py"
            file.parent.mkdir()
            file.write_bytes(text.encode())
            found = callsite.propose(str(file), line_of(text), "LSTM", *NEW, root=folder)
            self.assertIsNone(found["reason"])
            self.assertEqual(found["line"], line_of(text, "LSTM("))
            self.assertIn("+++ b/package/model.py\n", found["diff"])
            (Path(folder) / "change.diff").write_bytes(found["diff"].encode())
            done = subprocess.run([*command, "change.diff"], cwd=folder, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(file.read_bytes(), changed(text).encode())

    TEXTS = {"script": SCRIPT, "model": MODEL, "no newline at the end": MODEL.rstrip("\n"), "short": SCRIPT.rstrip("\n"),
             "Windows": SCRIPT.replace("\n", "\r\n"), "mark": "\ufeff" + MODEL, "letters": SCRIPT.replace("rnn", "größe")}

    def test_git_apply(self):
        if not shutil.which("git"):
            self.skipTest("no git")
        for name, text in self.TEXTS.items():
            with self.subTest(name=name):
                self.apply(text, ["git", "apply", "-p1"])

    def test_patch(self):
        if not shutil.which("patch"):
            self.skipTest("no patch")
        for name, text in self.TEXTS.items():
            with self.subTest(name=name):
                self.apply(text, ["patch", "-p1", "--binary", "-i"])

    def test_programs_that_come_along(self):
        """The calls of samples/programs/pytorch: all but the one whose layer is wrapped."""
        found = {}
        for file in sorted((support.ROOT / "samples/programs/pytorch").glob("*.py")):
            lines = file.read_text().splitlines()
            for number, line in enumerate(lines, 1):
                if any(word in line for word in ("= rnn(", "= encoder(", "self.lstm(")):
                    found[file.stem] = any(callsite.propose(str(file), number, layer, *NEW)["diff"] for layer in ("LSTM", "GRU", "RNN"))
                    break
        self.assertEqual({name: there for name, there in found.items() if not there}, {"distributed": False})  # wrapped in DistributedDataParallel
        self.assertGreater(len(found), 8)


if __name__ == "__main__":
    unittest.main()
