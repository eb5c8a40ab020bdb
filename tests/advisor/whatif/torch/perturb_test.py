"""The weights of RNN layers one unit in the last place apart: every weight, by one unit, and nothing else of the program."""
import os
import subprocess
import sys
import tempfile
import unittest

import support

torch = support.torch_or_skip("perturb_test")
from rnnadvisor_torch import perturb  # noqa: E402

BITS = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32, torch.float64: torch.int64}


class Perturb(unittest.TestCase):
    def test_moves_each_weight_by_one_unit(self):
        for kind, bits in BITS.items():
            values = torch.cat([torch.randn(1000), torch.tensor([0.0, -0.0, float("inf"), float("-inf"), float("nan"), 6e-8, -6e-8, 1.0])]).to(kind)
            weight = torch.nn.Parameter(values.clone())
            perturb.by_one_unit(torch, weight, torch.Generator().manual_seed(3))
            moved = (weight.detach().view(bits).long() - values.view(bits).long())
            ordinary = (values != 0) & values.isfinite()
            self.assertTrue(bool((moved[ordinary].abs() == 1).all()), kind)
            self.assertTrue(bool((moved[~ordinary] == 0).all()), kind)
            self.assertEqual(len(set(moved[ordinary].tolist())), 2, "up and down")

    def tearDown(self):
        if "__call__" in vars(torch.nn.RNNBase):
            del torch.nn.RNNBase.__call__

    def test_once_for_a_layer_and_no_random_number_of_the_program(self):
        torch.manual_seed(5)
        layer, head = torch.nn.LSTM(6, 5, 2, dropout=0.5), torch.nn.Linear(5, 3)
        before = [weight.detach().clone() for weight in layer.parameters()], head.weight.detach().clone()
        perturb.Perturbing(torch, 1).install()
        state = torch.get_rng_state()
        with torch.no_grad():
            layer.eval()(torch.ones(4, 2, 6))
        self.assertTrue(torch.equal(torch.get_rng_state(), state))
        after = [weight.detach().clone() for weight in layer.parameters()]
        for one, other in zip(before[0], after):
            self.assertTrue(bool((one != other).all()))
            self.assertLess(float((one - other).abs().max()), 1e-7)
        layer(torch.ones(4, 2, 6))
        self.assertTrue(all(torch.equal(one, other) for one, other in zip(after, layer.parameters())))
        self.assertTrue(torch.equal(before[1], head.weight))

    def test_training_goes_on(self):
        torch.manual_seed(5)
        layer = torch.nn.GRU(6, 5)
        optimizer = torch.optim.SGD(layer.parameters(), 0.1)
        perturb.Perturbing(torch, 2).install()
        for _ in range(3):
            optimizer.zero_grad()
            layer(torch.ones(4, 2, 6))[0].sum().backward()
            optimizer.step()

    def test_whole_programs_differ_by_rounding(self):
        program = ("import torch\ntorch.manual_seed(0)\nlayer = torch.nn.LSTM(60, 50)\nx = torch.randn(9, 8, 60)\n"
                   "print('loss', float(layer(x)[0].double().square().mean()), float(torch.rand(1)))\n")
        root = os.path.dirname(os.path.dirname(os.path.abspath(perturb.__file__)))
        found = []
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "train.py")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program)
            for seed in ("", "1", "2"):
                environment = dict(os.environ, PYTHONPATH=os.path.join(root, "in_program"), RNNADVISOR_PERTURB=seed)
                ran = subprocess.run([sys.executable, path], env=environment, capture_output=True, text=True, check=False)
                self.assertEqual((ran.returncode, ran.stderr), (0, ""))
                found.append([float(word) for word in ran.stdout.split()[1:]])
        self.assertEqual(len({loss for loss, _ in found}), 3, found)
        self.assertEqual(len({drawn for _, drawn in found}), 1, found)
        for loss, _ in found:
            self.assertAlmostEqual(loss, found[0][0], delta=1e-6)


if __name__ == "__main__":
    unittest.main()
