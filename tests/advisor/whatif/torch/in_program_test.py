"""A change inside a program that knows nothing of it: what the program computes, keeps and draws stays what it was, and the change is used when its
turn is. The plugin is played by an object that says whose turn it is; the command by answers that lie there in time."""
import copy
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import support

torch = support.torch_or_skip("in_program_test")
from rnnadvisor_torch import in_program  # noqa: E402

KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN}
CHANGES = {
    "pad_hidden": [{"kind": "pad_hidden", "parameters": {"multiple": 8}}],
    "split_layers": [{"kind": "split_layers"}],
    "split and padded": [{"kind": "split_layers"}, {"kind": "pad_hidden", "parameters": {"multiple": 8}}, {"kind": "pad_input", "parameters": {"multiple": 8}}],
    "lower_batch": [{"kind": "lower_batch", "parameters": {"value": 2}}],
}


class Wrapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.LSTM(6, 5)

    def forward(self, x):
        y, (h, c) = self.layer(x)
        return y, h


class Turns:
    """In place of the plugin."""

    def __init__(self):
        self.turn, self.told, self.awaits = False, [], 0

    def wanted(self):
        return int(self.turn)

    def ready(self, possible):
        self.told.append(possible)

    def awaited(self):
        self.awaits += 1


class InProgram(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.plugin = Turns()
        self.trying = in_program.Trying(torch, self.plugin, self.folder.name)
        self.trying.install()
        self.calls = []
        self.emitted = in_program.emit.load_class
        in_program.emit.load_class = self.counted

    def tearDown(self):
        in_program.emit.load_class = self.emitted
        for kind in self.trying.kinds:
            del kind.__call__
        self.folder.cleanup()

    def counted(self, text, plan, call):
        """The emitted class; each of its calls is noted."""
        made, calls = self.emitted(text, plan, call), self.calls
        forward = made.forward

        def counting(module, *args, **kwargs):
            calls.append(type(module).__name__)
            return forward(module, *args, **kwargs)
        made.forward = counting
        return made

    def answer(self, content):
        for name in os.listdir(self.folder.name):
            if name.endswith(".layer.json"):
                with open(os.path.join(self.folder.name, name.replace(".layer.", ".answer.")), "w") as file:
                    json.dump(content, file)

    def result(self, number=0):
        with open(os.path.join(self.folder.name, "{}-{}.result.json".format(os.getpid(), number))) as file:
            return json.load(file)

    def train(self, module, steps, given=None, seed=3):
        """Losses and the last gradients of steps of training."""
        torch.manual_seed(seed)
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        out = []
        for _ in range(steps):
            x = torch.randn(7, 5, 6, dtype=torch.float64) if given is None else given
            y, _ = module(x)
            y = y.data if isinstance(y, torch.nn.utils.rnn.PackedSequence) else y
            loss = (y * y).mean() + torch.rand((), dtype=torch.float64)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            out.append(float(loss))
        return out

    def plain(self, module, steps, **more):
        """The same without us."""
        taken = {kind: kind.__dict__["__call__"] for kind in self.trying.kinds}
        for kind in taken:
            del kind.__call__
        try:
            return self.train(module, steps, **more)
        finally:
            for kind, call in taken.items():
                kind.__call__ = call

    def test_a_change_computes_the_same_in_turns(self):
        for cell, kind in KINDS.items():
            for name, transforms in CHANGES.items():
                with self.subTest(cell=cell, change=name):
                    self.tearDown()
                    self.setUp()
                    module = kind(6, 5, num_layers=2, bidirectional=name == "pad_hidden", dtype=torch.float64)
                    twin = copy.deepcopy(module)
                    own = self.train(module, 3, seed=1)
                    self.answer({"candidates": [{"transforms": transforms}]})
                    own += self.train(module, 2, seed=2)
                    self.assertGreater(self.plugin.awaits, 0)
                    self.assertEqual(self.plugin.told, [True])
                    self.calls.clear()
                    own += self.train(module, 2, seed=4)
                    self.assertEqual(self.calls, [])  # not its turn
                    self.plugin.turn = True
                    own += self.train(module, 3, seed=5)
                    self.assertEqual(len(self.calls), 3)
                    self.plugin.turn = False
                    own += self.train(module, 2, seed=6)
                    self.assertEqual(len(self.calls), 3)
                    expected = sum((self.plain(twin, steps, seed=seed) for steps, seed in ((3, 1), (2, 2), (2, 4), (3, 5), (2, 6))), [])
                    for a, b in zip(own, expected):
                        self.assertAlmostEqual(a, b, places=12)
                    self.assertIs(type(module), kind)
                    for a, b in zip(module.parameters(), twin.parameters()):
                        self.assertLess(float((a - b).abs().max()), 1e-12)
                    result = self.result()
                    self.assertEqual(result["status"], "changed")
                    self.assertLess(result["error"], 1e-10)
                    compile(result["module"], result["file"], "exec")

    def test_random_numbers_are_those_of_the_program(self):
        module = torch.nn.LSTM(6, 5, num_layers=2, dropout=0.5, dtype=torch.float64)
        twin = copy.deepcopy(module)
        own = self.train(module, 3, seed=1)
        self.answer({"candidates": [{"transforms": CHANGES["split_layers"]}]})
        own += self.train(module, 4, seed=2)
        self.assertEqual(self.plugin.told, [True])
        self.assertEqual(own, self.plain(twin, 3, seed=1) + self.plain(twin, 4, seed=2))
        self.assertEqual(module.dropout, 0.5)

    def test_states_are_carried_from_call_to_call(self):
        """As language models do: what the change returns, the layer's own forward() takes, and the program views as it likes."""
        for batch_first in (False, True):
            module = torch.nn.LSTM(6, 5, num_layers=2, batch_first=batch_first, dtype=torch.float64)
            state = None
            self.train(module, 3)
            self.answer({"candidates": [{"transforms": CHANGES["pad_hidden"]}]})
            self.train(module, 1)
            for turn in (True, False, True, False):
                self.plugin.turn = turn
                y, state = module(torch.randn(7, 7, 6, dtype=torch.float64), state)
                state = tuple(part.detach() for part in state)
                self.assertTrue(all(part.is_contiguous() for part in state))
                (y.transpose(0, 1) if batch_first else y).view(-1, 5).sum().backward()
            self.plugin.turn = False
            self.assertTrue(self.calls)
            self.calls.clear()

    def test_packed_sequences(self):
        module = torch.nn.GRU(6, 5, dtype=torch.float64)
        given = torch.nn.utils.rnn.pack_padded_sequence(torch.randn(7, 5, 6, dtype=torch.float64), [7, 7, 5, 2, 1], enforce_sorted=False)
        self.train(module, 3, given=given)
        self.answer({"candidates": [{"transforms": [{"kind": "bucket_lengths", "parameters": {"buckets": 2}}]}]})
        self.train(module, 1, given=given)
        self.assertEqual(self.result()["status"], "changed")

    def test_wrong_results_are_never_used(self):
        module = torch.nn.GRU(6, 5, dtype=torch.float64)
        self.train(module, 3)
        self.answer({"candidates": [{"transforms": CHANGES["pad_hidden"]}]})
        emitted = in_program.emit.load_class

        def wrong(text, plan, call):
            return emitted(text.replace("y.unflatten", "1.001 * y.unflatten"), plan, call)
        in_program.emit.load_class = wrong
        self.train(module, 2)
        self.plugin.turn = True
        self.calls.clear()
        self.train(module, 2)
        self.assertEqual(self.calls, [])
        self.assertEqual((self.result()["status"], self.plugin.told), ("kept", [False]))

    def test_what_goes_wrong_with_us_leaves_the_program_alone(self):
        module = torch.nn.LSTM(6, 5, dtype=torch.float64)
        self.train(module, 3)
        self.answer({"candidates": [{"transforms": [{"kind": "split_layers"}]}, {"transforms": [{"kind": "cuda_graph"}]}, {"transforms": [{"kind": "no such"}]}]})
        self.train(module, 2)
        self.assertEqual(self.result()["status"], "kept")
        self.assertIn("one layer only", self.result()["reason"])
        other = torch.nn.LSTM(6, 5, dtype=torch.float64)
        os.chmod(self.folder.name, 0o500)
        try:
            self.folder.name, kept = "/nowhere", self.folder.name
            self.trying.folder = self.folder.name
            self.train(other, 5)
        finally:
            self.folder.name = kept
            os.chmod(self.folder.name, 0o700)

    def test_other_classes_are_left_alone(self):
        class Mine(torch.nn.LSTM):
            pass
        for module in (Mine(6, 5, dtype=torch.float64), torch.jit.script(Wrapped().double())):
            self.train(module, 6)
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_a_model_is_saved_as_what_it_is(self):
        module = torch.nn.LSTM(6, 5, num_layers=2, dtype=torch.float64)
        self.train(module, 3)
        self.answer({"candidates": [{"transforms": CHANGES["split_layers"]}]})
        self.train(module, 1)
        self.plugin.turn = True
        self.train(module, 1)
        self.assertEqual(self.calls[-1:], ["SplitLayersLSTM"])
        kept = io.BytesIO()
        torch.save(module, kept)
        self.assertIn(b"torch.nn.modules.rnn", kept.getvalue())
        self.assertNotIn(b"SplitLayers", kept.getvalue())
        self.assertIs(type(pickle.loads(pickle.dumps(module))), torch.nn.LSTM)
        self.assertIs(type(copy.deepcopy(module)), torch.nn.LSTM)


PROGRAM = """
import sys, torch
assert not any(name.startswith("rnnadvisor") for name in dir(torch))
torch.manual_seed(1)
layer = torch.nn.LSTM(6, 5)
print(float(layer(torch.ones(7, 2, 6))[0].sum()), getattr(sys, "users_own", None), "rnnadvisor_torch" in sys.modules)
"""


class SiteCustomize(unittest.TestCase):
    """Python itself, as the command starts it. Without the plugin the hook finds nothing to ask, and does nothing."""

    def run_program(self, **variables):
        with tempfile.TemporaryDirectory() as own:
            with open(os.path.join(own, "sitecustomize.py"), "w") as file:
                file.write("import sys\nsys.users_own = 7\n")
            paths = [str(support.SCRIPTS / "in_program")] if variables else []
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*paths, own]), **variables}
            return subprocess.run([sys.executable, "-B", "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=120)

    def test_the_program_runs_as_without_it(self):
        plain, hooked = self.run_program(), self.run_program(RNNADVISOR_CHANGES="/nowhere")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.assertEqual(hooked.returncode, 0, hooked.stderr)
        self.assertEqual(plain.stdout.split()[:2], hooked.stdout.split()[:2])
        self.assertEqual(hooked.stdout.split()[1:], ["7", "True"])


if __name__ == "__main__":
    unittest.main()
