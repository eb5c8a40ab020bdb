"""The lines that reports show for a change (advisor/change/transform_code.toml), run as they stand there: those that split a stack
against the stack itself, on the CPU in float64: outputs, states, the gradients of all weights, and what the layer was made with."""
import itertools
import unittest

import support

torch = support.torch_or_skip("shown_code_test")

KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN, "rnn_relu": torch.nn.RNN}


def shown(kind):
    try:
        import tomllib
    except ImportError:  # Python before 3.11
        text = (support.ROOT / "advisor" / "change" / "transform_code.toml").read_text()
        return text.split("[" + kind + "]")[1].split('pytorch.code = """\n')[1].split('"""')[0]
    with open(support.ROOT / "advisor" / "change" / "transform_code.toml", "rb") as file:
        return tomllib.load(file)[kind]["pytorch"]["code"]


CALL = "y = rnn(x)[0]"  # call_of() in advisor/change/transform_code.cpp


def together(kinds, multiple):
    """As code_for() of several changes puts them together."""
    parts = [shown(kind).strip("\n").replace("{multiple}", str(multiple)).partition(CALL) for kind in kinds]
    return "\n".join([before for before, _, _ in parts] + [CALL] + [after for _, _, after in parts])


def split(rnn):
    names = {"torch": torch, "rnn": rnn}
    exec(compile(shown("split_layers"), "transform_code.toml", "exec"), names)
    return names["rnn"]


def make(cell, **options):
    torch.manual_seed(5)
    more = {"nonlinearity": cell[4:]} if cell.startswith("rnn_") else {}
    return KINDS[cell](5, 6, dtype=torch.float64, **more, **options)


def as_list(state):
    return list(state) if isinstance(state, tuple) else [state]


class SplitStack(unittest.TestCase):
    def compare(self, original, changed, cell, with_state, seed=None):
        torch.manual_seed(7)
        x = torch.randn(7, 4, 5, dtype=torch.float64) if not original.batch_first else torch.randn(4, 7, 5, dtype=torch.float64)
        start = [torch.randn(original.num_layers, 4, original.proj_size or 6, dtype=torch.float64)]
        if cell == "lstm":
            start.append(torch.randn(original.num_layers, 4, 6, dtype=torch.float64))
        given = None if not with_state else tuple(start) if cell == "lstm" else start[0]
        results = []
        for rnn in (original, changed):
            if seed is not None:
                torch.manual_seed(seed)
            y, end = rnn(x, given)
            outputs = [y, *as_list(end)]
            total = sum((out * torch.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).view(out.shape)).sum() for out in outputs)
            results.append((outputs, torch.autograd.grad(total, list(rnn.parameters()))))
        for one, other in zip(*results):
            self.assertEqual(len(one), len(other))
            for a, b in zip(one, other):
                self.assertEqual(a.shape, b.shape)
                torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-12)

    def test_equals_the_stack(self):
        for cell, count, bias, batch_first, projection in itertools.product(KINDS, (2, 3), (True, False), (True, False), (0, 4)):
            if projection and cell != "lstm":
                continue
            more = {"proj_size": projection} if projection else {}
            for with_state in (True, False):
                with self.subTest(cell=cell, layers=count, bias=bias, batch_first=batch_first, projection=projection, state=with_state):
                    original = make(cell, num_layers=count, bias=bias, batch_first=batch_first, **more)
                    self.compare(original, split(original), cell, with_state)

    def test_dropout_acts_between_the_layers_in_training_only(self):
        for cell in KINDS:
            with self.subTest(cell=cell):
                original = make(cell, num_layers=3, dropout=0.5)
                self.compare(original, split(original), cell, False, seed=11)  # the same draws
                original.eval()
                changed = split(original)
                self.assertFalse(changed.training)
                self.compare(original, changed, cell, True)

    def test_keeps_type_and_sizes_and_makes_one_layer_each(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            original = make("lstm", num_layers=2, batch_first=True).to(dtype)
            changed = split(original)
            self.assertEqual({p.dtype for p in changed.parameters()}, {dtype})
            self.assertEqual([(layer.num_layers, layer.input_size, layer.batch_first) for layer in changed.layers], [(1, 5, True), (1, 6, True)])
            self.assertEqual(sum(p.numel() for p in changed.parameters()), sum(p.numel() for p in original.parameters()))


class Together(unittest.TestCase):
    """Padding of every size and a split, alone and in one paste: the outputs and the gradients of the input are those of the layer."""

    def test_pasted_as_one_they_compute_what_the_layer_did(self):
        kinds = ("pad_input", "pad_hidden", "pad_batch", "split_layers")  # in_order(): a split comes last
        for count in range(1, len(kinds) + 1):
            for chosen, cell, batch_first in itertools.product(itertools.combinations(kinds, count), KINDS, (False, True)):
                with self.subTest(changes=chosen, cell=cell, batch_first=batch_first):
                    rnn = make(cell, num_layers=2, batch_first=batch_first)
                    x = torch.randn(*((3, 7) if batch_first else (7, 3)), 5, dtype=torch.float64, requires_grad=True)
                    wanted = rnn(x)[0]
                    weights = torch.linspace(0.5, 1.5, wanted.numel(), dtype=wanted.dtype).view(wanted.shape)
                    gradient = torch.autograd.grad((wanted * weights).sum(), x)[0]
                    names = {"torch": torch, "rnn": rnn, "x": x}
                    exec(compile(together(chosen, 4), "transform_code.toml", "exec"), names)
                    self.assertEqual(names["y"].shape, wanted.shape)
                    torch.testing.assert_close(names["y"], wanted, rtol=1e-10, atol=1e-12)
                    again = torch.autograd.grad((names["y"] * weights).sum(), x)[0]
                    torch.testing.assert_close(again, gradient, rtol=1e-10, atol=1e-12)


if __name__ == "__main__":
    unittest.main()
