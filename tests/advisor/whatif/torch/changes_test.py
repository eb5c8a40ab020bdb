"""Every change as a module against torch.nn's own layer: outputs, states, every gradient and the state dict, in float64 on the CPU,
over cells x directions x layers x bias x projection x batch_first x kind of input."""
import copy
import itertools
import pickle
import unittest

import support

torch = support.torch_or_skip("changes_test")
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence  # noqa: E402

KINDS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN, "rnn_relu": torch.nn.RNN}
HIDDEN, INPUT, ROWS, STEPS = 6, 5, 5, 7
LENGTHS = [7, 7, 5, 2, 1]
CHANGES = {
    "split_layers": [("split_layers", {})],
    "split_directions": [("split_directions", {})],
    "pad_hidden": [("pad_hidden", {"multiple": 4})],
    "pad_input": [("pad_input", {"multiple": 8})],
    "pad_batch": [("pad_batch", {"multiple": 8})],
    "lower_batch": [("lower_batch", {"value": 2})],
    "chunk_sequence": [("chunk_sequence", {"length": 3})],
    "unpack_equal_lengths": [("unpack_equal_lengths", {})],
    "bucket_lengths": [("bucket_lengths", {"buckets": 2})],
    "flatten_parameters": [("flatten_parameters", {})],
    "double": [("data_type", {"value": "double"})],
    "split and padded": [("split_layers", {}), ("pad_hidden", {"multiple": 4}), ("pad_input", {"multiple": 8}), ("pad_batch", {"multiple": 8})],
    "directions and padded": [("split_directions", {}), ("pad_hidden", {"multiple": 4}), ("pad_input", {"multiple": 8})],
    "unpacked, padded and split": [("unpack_equal_lengths", {}), ("pad_batch", {"multiple": 8}), ("split_directions", {})],
    "chunks of buckets": [("bucket_lengths", {"buckets": 2}), ("chunk_sequence", {"length": 2}), ("split_layers", {})],
    "pieces of chunks": [("lower_batch", {"value": 3}), ("chunk_sequence", {"length": 4}), ("pad_hidden", {"multiple": 16})],
}


def layers():
    """Every layer of the grid as the keyword arguments of its class."""
    for cell, directions, count, bias, projection in itertools.product(KINDS, (1, 2), (1, 2, 3), (True, False), (0, 4)):
        if projection and cell != "lstm":
            continue
        options = {"nonlinearity": cell[4:]} if cell.startswith("rnn_") else {}
        if projection:
            options["proj_size"] = projection
        yield cell, dict(input_size=INPUT, hidden_size=HIDDEN, num_layers=count, bias=bias, bidirectional=directions == 2, **options)


def keys_of(cell, options, **more):
    return dict(cell=cell, hidden_size=HIDDEN, input_size=INPUT, num_layers=options["num_layers"],
                direction="bidirectional" if options["bidirectional"] else "unidirectional",
                bias_mode="double_bias" if options["bias"] else "no_bias", proj_size=options.get("proj_size", HIDDEN), **more)


def inputs(options, cell, form, seed=3):
    """(input, states) for a form; leaves that take gradients."""
    generator = torch.Generator().manual_seed(seed)
    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=torch.float64)
    count = options["num_layers"] * (2 if options["bidirectional"] else 1)
    rows = 1 if form == "unbatched" else ROWS
    state = [draw(count, rows, options.get("proj_size") or HIDDEN)]
    if cell == "lstm":
        state.append(draw(count, rows, HIDDEN))
    state = [s.squeeze(1).requires_grad_() if form == "unbatched" else s.requires_grad_() for s in state]
    x = draw(STEPS, rows, INPUT)
    if form == "unbatched":
        x = x.squeeze(1)
    elif form == "batch_first":
        x = x.transpose(0, 1).contiguous()
    x.requires_grad_()
    return x, state


def run(layer, cell, x, state, form, with_state=True):
    """All that can be compared, by name."""
    given = x
    if form.startswith("packed"):
        lengths = [STEPS] * ROWS if form == "packed equal" else LENGTHS if form == "packed" else [2, 7, 1, 7, 5]
        given = pack_padded_sequence(x, torch.tensor(lengths), enforce_sorted=form != "packed unsorted")
    start = None if not with_state else tuple(state) if cell == "lstm" else state[0]
    y, end = layer(given, start) if with_state else layer(given)
    assert isinstance(y, PackedSequence) == form.startswith("packed")
    ends = list(end) if cell == "lstm" else [end]
    y = y.data if isinstance(y, PackedSequence) else y
    weights = dict(layer.named_parameters())
    # Every element counts, and no two alike.
    total = sum((out * torch.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).view(out.shape)).sum() for out in [y, *ends])
    wanted = [x, *(state if with_state else []), *weights.values()]
    gradients = torch.autograd.grad(total, wanted)
    names = ["dx", *(["dh0", "dc0"][:len(state)] if with_state else []), *weights]
    return dict(zip(["y", "hn", "cn"], [y, *ends])), dict(zip(names, gradients))


def fits(name, options, form):
    """Whether the change says that it is for this layer; what it says is tested in plan_test.py."""
    if "split_layers" in str(CHANGES[name]) and options["num_layers"] < 2:
        return False
    if "split_directions" in str(CHANGES[name]) and not options["bidirectional"]:
        return False
    if "chunk_sequence" in str(CHANGES[name]) and options["bidirectional"]:
        return False
    if "unpack_equal_lengths" in str(CHANGES[name]):
        return form == "packed equal"
    if "bucket_lengths" in str(CHANGES[name]):
        return form in ("packed", "packed unsorted")
    return True


def captured(form, name):
    keys = {}
    if form == "packed equal":
        keys = dict(layout="seq_major_packed")
    elif form.startswith("packed"):
        keys = dict(layout="seq_major_packed", seq_lengths=LENGTHS)
    if "pad_batch" in str(CHANGES[name]) and "unpack" not in name:
        keys = {}  # made for plain tensors; given a PackedSequence it must still be right
    if name == "flatten_parameters":
        keys["framework"] = {"flat_weights": False}
    return keys


class Equivalence(unittest.TestCase):
    def compare(self, name, form):
        tried = 0
        for cell, options in layers():
            if not fits(name, options, form):
                continue
            with self.subTest(change=name, form=form, cell=cell, **options):
                made, _, _ = support.changed_class(CHANGES[name], **keys_of(cell, options, batch_size=ROWS, seq_length=STEPS, **captured(form, name)))
                torch.manual_seed(5)
                original = KINDS[cell](batch_first=form == "batch_first", dtype=torch.float64, **options)
                torch.manual_seed(6)
                changed = made(batch_first=form == "batch_first", dtype=torch.float64, **options)
                self.assertEqual(list(original.state_dict()), list(changed.state_dict()))
                self.assertFalse(all(torch.equal(a, b) for a, b in zip(original.parameters(), changed.parameters())))
                changed.load_state_dict(original.state_dict())
                for with_state in (True, False):
                    x, state = inputs(options, cell, form)
                    wanted, wanted_gradients = run(original, cell, x, state, form, with_state)
                    got, gradients = run(changed, cell, x, state, form, with_state)
                    self.assertEqual(set(wanted_gradients), set(gradients))
                    for key, value in {**wanted, **wanted_gradients}.items():
                        other = {**got, **gradients}[key]
                        self.assertEqual(value.shape, other.shape, key)
                        self.assertLessEqual((value - other).norm().item(), 1e-13 * max(1.0, value.norm().item()), key)
                tried += 1
        self.assertGreater(tried, 3, "nothing was compared")


FORMS = ("plain", "batch_first", "unbatched", "packed", "packed unsorted", "packed equal")
for change, kind_of_input in itertools.product(CHANGES, FORMS):
    if not any(fits(change, options, kind_of_input) for _, options in layers()):
        continue
    def test(self, change=change, kind_of_input=kind_of_input):
        self.compare(change, kind_of_input)
    setattr(Equivalence, "test_{}_{}".format(change, kind_of_input).replace(" ", "_").replace(",", ""), test)


class Work(unittest.TestCase):
    """That a change does what it says, and not nothing: the fused calls that it makes, seen from outside."""

    def calls(self, transforms, form="plain", layer=None, **keys):
        made, _, _ = support.changed_class(transforms, **keys)
        options = dict(input_size=INPUT, hidden_size=HIDDEN, dtype=torch.float64, **(layer or {}))
        seen, fused = [], torch.lstm

        def counted(x, *rest):
            packed = not isinstance(rest[0], tuple)
            states, weights = (rest[1], rest[2]) if packed else (rest[0], rest[1])
            seen.append((tuple(x.shape), None if not packed else rest[0].tolist(), states[1].size(-1), len(weights), x.dtype))
            return fused(x, *rest)

        changed = made(**options)
        x, state = inputs(dict(num_layers=options.get("num_layers", 1), bidirectional=options.get("bidirectional", False)), "lstm", form)
        torch.lstm = counted
        try:
            run(changed, "lstm", x, state, form)
        finally:
            torch.lstm = fused
        return seen

    def test_layers(self):
        seen = self.calls([("split_layers", {})], num_layers=3, layer=dict(num_layers=3))
        self.assertEqual([shape for shape, *_ in seen], [(STEPS, ROWS, INPUT), (STEPS, ROWS, HIDDEN), (STEPS, ROWS, HIDDEN)])
        self.assertEqual({count for *_, count, _ in seen}, {4})

    def test_directions(self):
        seen = self.calls([("split_directions", {})], num_layers=2, direction="bidirectional", layer=dict(num_layers=2, bidirectional=True))
        self.assertEqual([shape[2] for shape, *_ in seen], [INPUT, INPUT, 2 * HIDDEN, 2 * HIDDEN])

    def test_padding(self):
        seen = self.calls([("pad_hidden", {"multiple": 16}), ("pad_input", {"multiple": 8}), ("pad_batch", {"multiple": 8})], batch_size=ROWS, hidden_size=HIDDEN, input_size=INPUT)
        self.assertEqual(seen[0][:3], ((STEPS, 8, 8), None, 16))

    def test_pieces(self):
        seen = self.calls([("lower_batch", {"value": 2})], batch_size=ROWS)
        self.assertEqual([shape[1] for shape, *_ in seen], [2, 2, 1])
        seen = self.calls([("chunk_sequence", {"length": 3})], batch_size=ROWS, seq_length=STEPS)
        self.assertEqual([shape[0] for shape, *_ in seen], [3, 3, 1])

    def test_unpacked(self):
        seen = self.calls([("unpack_equal_lengths", {})], "packed equal", layout="seq_major_packed", batch_size=ROWS, seq_length=STEPS)
        self.assertEqual(seen[0][:2], ((STEPS, ROWS, INPUT), None))

    def test_buckets(self):
        seen = self.calls([("bucket_lengths", {"buckets": 2})], "packed", layout="seq_major_packed", seq_lengths=LENGTHS)
        self.assertEqual(seen[0][:2], ((7, 2, INPUT), None))  # two sequences of seven steps: a plain tensor
        self.assertEqual(seen[1][1], [3, 2, 1, 1, 1])

    def test_data_type(self):
        seen = self.calls([("data_type", {"value": "float"})], data_type="double")
        self.assertEqual(seen[0][-1], torch.float32)


class Types(unittest.TestCase):
    def test_data_type_rounds_and_keeps_types(self):
        for value, least, most in (("bfloat16", 1e-4, 3e-2), ("float", 1e-9, 1e-5)):
            made, _, _ = support.changed_class([("data_type", {"value": value})], data_type="double", num_layers=2)
            torch.manual_seed(1)
            original = torch.nn.LSTM(INPUT, HIDDEN, 2, dtype=torch.float64)
            changed = made(INPUT, HIDDEN, 2, dtype=torch.float64)
            changed.load_state_dict(original.state_dict())
            x, state = inputs(dict(num_layers=2, bidirectional=False), "lstm", "plain")
            wanted, wanted_gradients = run(original, "lstm", x, state, "plain")
            got, gradients = run(changed, "lstm", x, state, "plain")
            for key, b in {**wanted, **wanted_gradients}.items():
                a = {**got, **gradients}[key]
                self.assertEqual(a.dtype, torch.float64)
                error = ((a - b).norm() / b.norm()).item()
                self.assertTrue(least < error < most, (value, key, error))

    def test_float32(self):
        for name in ("split and padded", "directions and padded"):
            bidirectional = "directions" in name
            made, _, _ = support.changed_class(CHANGES[name], cell="gru", num_layers=2, batch_size=ROWS, hidden_size=HIDDEN, input_size=INPUT,
                                               direction="bidirectional" if bidirectional else "unidirectional")
            original = torch.nn.GRU(INPUT, HIDDEN, 2, bidirectional=bidirectional)
            changed = made(INPUT, HIDDEN, 2, bidirectional=bidirectional)
            changed.load_state_dict(original.state_dict())
            x = torch.randn(STEPS, ROWS, INPUT)
            a, b = original(x)[0], changed(x)[0]
            self.assertLessEqual((a - b).norm().item(), 1e-5 * a.norm().item())


class Dropout(unittest.TestCase):
    def layer(self, dropout):
        made, _, _ = support.changed_class([("split_layers", {})], num_layers=3)
        return made(INPUT, HIDDEN, 3, dropout=dropout, dtype=torch.float64), torch.nn.LSTM(INPUT, HIDDEN, 3, dropout=dropout, dtype=torch.float64)

    def test_same_masks_from_the_same_seed_on_the_cpu(self):
        changed, original = self.layer(0.4)
        changed.load_state_dict(original.state_dict())
        x = torch.randn(STEPS, ROWS, INPUT, dtype=torch.float64)
        torch.manual_seed(9)
        a = original(x)[0]
        torch.manual_seed(9)
        self.assertTrue(torch.allclose(a, changed(x)[0], atol=1e-14))
        torch.manual_seed(10)
        self.assertFalse(torch.allclose(a, changed(x)[0], atol=1e-3))

    def test_none_in_evaluation_and_none_after_the_last_layer(self):
        changed, original = self.layer(0.4)
        changed.load_state_dict(original.state_dict())
        x = torch.randn(STEPS, ROWS, INPUT, dtype=torch.float64)
        self.assertTrue(torch.allclose(original.eval()(x)[0], changed.eval()(x)[0], atol=1e-14))
        self.assertFalse((changed.train()(x)[0] == 0).any())

    def test_share_of_zeros(self):
        changed, _ = self.layer(0.25)
        y = torch.ones(400, 500)
        dropped = (changed._between(y, 0) == 0).double().mean().item()
        self.assertAlmostEqual(dropped, 0.25, delta=6 * (0.25 * 0.75 / y.numel()) ** 0.5)


class StateDicts(unittest.TestCase):
    def test_both_ways_inside_a_model(self):
        for cell, options in layers():
            name = "pad_hidden"
            made, _, _ = support.changed_class(CHANGES[name], **keys_of(cell, options))
            with self.subTest(cell=cell, **options):
                old = torch.nn.ModuleDict({"encoder": KINDS[cell](**options), "head": torch.nn.Linear(3, 2)})
                new = torch.nn.ModuleDict({"encoder": made(**options), "head": torch.nn.Linear(3, 2)})
                result = new.load_state_dict(old.state_dict(), strict=True)
                self.assertEqual((result.missing_keys, result.unexpected_keys), ([], []))
                fresh = torch.nn.ModuleDict({"encoder": KINDS[cell](**options), "head": torch.nn.Linear(3, 2)})
                fresh.load_state_dict(new.state_dict(), strict=True)
                for (a, x), (b, y) in zip(old.state_dict().items(), fresh.state_dict().items()):
                    self.assertEqual(a, b)
                    self.assertTrue(torch.equal(x, y))

    def test_optimizer_state_goes_on(self):
        made, _, _ = support.changed_class(CHANGES["split_layers"], num_layers=2)
        old, new = torch.nn.LSTM(INPUT, HIDDEN, 2), made(INPUT, HIDDEN, 2)
        first, second = torch.optim.Adam(old.parameters()), torch.optim.Adam(new.parameters())
        new.load_state_dict(old.state_dict())
        x = torch.randn(STEPS, ROWS, INPUT)
        old(x)[0].sum().backward()
        first.step()
        new.load_state_dict(old.state_dict())
        second.load_state_dict(first.state_dict())
        for layer, optimizer in ((old, first), (new, second)):
            optimizer.zero_grad()
            layer(x)[0].pow(2).sum().backward()
            optimizer.step()
        for a, b in zip(old.parameters(), new.parameters()):
            self.assertTrue(torch.allclose(a, b, atol=1e-6))

    def test_is_the_old_class_and_can_be_copied(self):
        made, _, _ = support.changed_class(CHANGES["split_layers"], num_layers=2)
        layer = made(INPUT, HIDDEN, num_layers=2)
        self.assertIsInstance(layer, torch.nn.LSTM)
        x = torch.randn(STEPS, ROWS, INPUT)
        self.assertTrue(torch.equal(layer(x)[0], copy.deepcopy(layer)(x)[0]))
        state = pickle.loads(pickle.dumps(layer.state_dict()))
        self.assertTrue(torch.equal(state["weight_hh_l1"], layer.weight_hh_l1))
        self.assertEqual(layer.double()(x.double())[0].dtype, torch.float64)


class Mistakes(unittest.TestCase):
    """What nn.LSTM refuses is refused, not computed."""

    def test_refusals(self):
        made, _, _ = support.changed_class(CHANGES["split_layers"], num_layers=2)
        for layer in (made(INPUT, HIDDEN, 2), torch.nn.LSTM(INPUT, HIDDEN, 2)):
            x = torch.randn(STEPS, ROWS, INPUT)
            h = torch.zeros(2, ROWS, HIDDEN)
            for bad in ((x[..., :3],), (x, (h[:1], h)), (x, (h, h[:, :2])), (x, (h[0], h[0])), (x[0], (h, h)), (x[None],)):
                with self.assertRaises((RuntimeError, ValueError, AssertionError)):
                    layer(*bad)

    def test_padding_stays_exact_when_weights_are_set_anew(self):
        made, _, _ = support.changed_class([("pad_hidden", {"multiple": 16})], hidden_size=HIDDEN)
        layer, original = made(INPUT, HIDDEN, dtype=torch.float64), torch.nn.LSTM(INPUT, HIDDEN, dtype=torch.float64)
        torch.nn.init.orthogonal_(layer.weight_hh_l0)
        with torch.no_grad():
            for name, weight in original.named_parameters():
                weight.copy_(getattr(layer, name))
        x = torch.randn(STEPS, ROWS, INPUT, dtype=torch.float64)
        self.assertTrue(torch.allclose(layer(x)[0], original(x)[0], atol=1e-14))


if __name__ == "__main__":
    unittest.main()
