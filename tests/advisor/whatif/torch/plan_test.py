"""What a candidate comes to, what is refused and why, and the emitted text. Standard library only."""
import ast
import unittest

import support
from rnnadvisor_torch import emit, plan
from rnnadvisor_torch.problem import NotApplicable, Problem
from rnnadvisor_torch.request import parse


def made(transforms, **keys):
    return plan.make_plan(support.call(**keys), transforms)


class Kinds(unittest.TestCase):
    def test_every_kind_of_the_program_is_known_with_its_parameters(self):
        """Held against advisor/change/transform.cpp, the list of the program."""
        text = (support.ROOT / "advisor/change/transform.cpp").read_text()
        import re
        body = text[text.index("constexpr std::array kinds = {"):text.index("template <class Items>")]
        kinds = re.findall(r'TransformKind\{\s*"(\w+)",\s*(\w+),\s*([\w{}]+)', body)
        self.assertGreater(len(kinds), 25)
        for kind, meaning, parameters in kinds:
            self.assertIn(kind, plan.KINDS)
            self.assertEqual(bool(plan.KINDS[kind][1]), parameters != "{}", kind)
            if kind != "chunk_sequence":  # cuDNN's calls stop gradients at the chunks; PyTorch's module does not
                self.assertEqual(plan.KINDS[kind][0], meaning, kind)
        self.assertEqual(set(plan.KINDS) - {kind for kind, *_ in kinds}, {"allow_tf32"})

    def test_every_kind_is_done_or_said_to_be_impossible(self):
        for kind, (meaning, _) in plan.KINDS.items():
            self.assertEqual(kind in plan._APPLY, kind not in plan._NOT_IN_PYTORCH and meaning != "model", kind)


class Refusals(unittest.TestCase):
    CASES = [
        ("split_layers", {}, dict(num_layers=1), "one layer only"),
        ("split_directions", {}, {}, "one direction only"),
        ("pad_batch", {"multiple": 8}, dict(batch_size=64), "multiple of 8 already"),
        ("pad_batch", {"multiple": 8}, dict(batch_size=33, layout="seq_major_packed"), "packed sequences"),
        ("pad_hidden", {"multiple": 8}, dict(hidden_size=512), "already"),
        ("lower_batch", {"value": 64}, dict(batch_size=64), "64 sequences only"),
        ("chunk_sequence", {"length": 4}, dict(direction="bidirectional"), "cannot be cut"),
        ("chunk_sequence", {"length": 128}, dict(seq_length=128), "128 steps only"),
        ("unpack_equal_lengths", {}, {}, "no PackedSequence"),
        ("unpack_equal_lengths", {}, dict(layout="seq_major_packed", seq_lengths=[3, 2]), "differ in length"),
        ("bucket_lengths", {"buckets": 2}, dict(seq_lengths=[3, 2]), "PackedSequence only"),
        ("data_type", {"value": "half"}, dict(data_type="half"), "half already"),
        ("data_type", {"value": "half"}, dict(framework={"autocast": "float16"}), "autocast"),
        ("allow_tf32", {"value": True}, dict(data_type="half"), "for float data"),
        ("allow_tf32", {"value": True}, {}, "allowed already"),
        ("math_type", {"value": "tensor_op"}, {}, "by itself"),
        ("cudnn_enabled", {"value": True}, {}, "enabled already"),
        ("flatten_parameters", {}, {}, "flat buffer already"),
        ("layout", {"value": "seq_major_unpacked"}, {}, "already"),
        ("inference_mode", {}, dict(mode="inference"), "inference already"),
        ("cuda_graph", {}, dict(layout="seq_major_packed"), "lengths on the host"),
        ("drop_dropout", {}, {}, "ignores the dropout"),
        ("set_batch", {"value": 8}, {}, "another model"),
        ("drop_projection", {}, {}, "another model"),
        ("algo", {"value": "standard"}, {}, "cannot be tried"),
    ]

    def test_each_says_why(self):
        for kind, parameters, keys, words in self.CASES:
            with self.subTest(kind=kind, **keys):
                with self.assertRaises(NotApplicable) as caught:
                    made([(kind, parameters)], **keys)
                self.assertIn(words, caught.exception.what)

    def test_mistakes_are_named(self):
        for kind, parameters, words in (("split_layer", {}, "did you mean 'split_layers'?"), ("pad_batch", {}, ""), ("pad_batch", {"multiple": 0}, "1 to 65536"),
                                        ("pad_batch", {"multiple": True}, "1 to 65536"), ("pad_batch", {"multiples": 8}, "did you mean 'multiple'?"),
                                        ("data_type", {"value": "fp16"}, "bfloat16"), ("padded_io", {"value": 1}, "true or false"),
                                        ("split_layers", {"x": 1}, "")):
            with self.subTest(kind=kind, parameters=parameters):
                with self.assertRaises(Problem) as caught:
                    made([(kind, parameters)], num_layers=2)
                self.assertIn(words, caught.exception.remedy)
                self.assertIn("candidate.transforms[0]", caught.exception.where)

    def test_meaning_is_the_strongest(self):
        transforms = [("split_layers", {})]
        self.assertEqual(made(transforms, num_layers=2, batch_size=9).meaning, "exact")
        transforms.append(("pad_batch", {"multiple": 8}))
        self.assertEqual(made(transforms, num_layers=2, batch_size=9).meaning, "padded")
        transforms.insert(0, ("data_type", {"value": "half"}))
        self.assertEqual(made(transforms, num_layers=2, batch_size=9).meaning, "numerics")


class Emission(unittest.TestCase):
    CASES = [
        ([("split_layers", {})], dict(num_layers=2), "SplitLayersLSTM", "rnn_split_layers"),
        ([("pad_batch", {"multiple": 8})], dict(batch_size=33, cell="gru"), "PadBatchGRU", "rnn_pad_batch"),
        ([("pad_hidden", {"multiple": 128}), ("split_directions", {})], dict(hidden_size=100, direction="bidirectional", cell="rnn_relu"),
         "SplitDirectionsPadHiddenRNN", "rnn_split_directions_pad_hidden"),
        ([("data_type", {"value": "half"})], {}, "DataTypeLSTM", "rnn_data_type"),
        ([("flatten_parameters", {})], dict(framework={"flat_weights": False}), "FlattenParametersLSTM", "rnn_flatten_parameters"),
    ]

    def test_a_module_that_stands_alone(self):
        for transforms, keys, name, module in self.CASES:
            with self.subTest(name=name):
                captured = support.call(**keys)
                planned = plan.make_plan(captured, transforms)
                self.assertEqual((emit.class_name(planned, captured), emit.module_name(planned)), (name, module))
                text = emit.module_text(planned, captured)
                tree = ast.parse(text)
                self.assertEqual(len(ast.get_docstring(tree).splitlines()), 3)
                imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
                imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
                self.assertEqual(imported, {"torch", "torch.nn.utils.rnn"})
                self.assertEqual(tree.body[-1].name, name)
                # Every base is there, and nothing that is not used.
                classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef)]
                bases = [base.id for base in tree.body[-1].bases if isinstance(base, ast.Name)]
                self.assertEqual(sorted(classes), sorted(bases + [name]))
                ast.parse(text, feature_version=(3, 8))
                self.assertNotIn("icen", text)  # no licence to carry along

    def test_parameters_stand_in_the_class(self):
        captured = support.call(batch_size=33)
        text = emit.module_text(plan.make_plan(captured, [("pad_batch", {"multiple": 40}), ("data_type", {"value": "bfloat16"})]), captured)
        last = text[text.rindex("\nclass "):]
        self.assertIn("    batch_multiple = 40\n", last)
        self.assertIn("    compute_type = torch.bfloat16\n", last)
        self.assertIn("other rounding", text)

    def test_changes_around_the_layer(self):
        cases = [([("allow_tf32", {"value": True})], dict(framework={"allow_tf32": False}), "allow_tf32 = True"),
                 ([("math_type", {"value": "default"})], dict(math_type="fma"), "allow_tf32 = True"),
                 ([("cudnn_enabled", {"value": True})], dict(framework={"cudnn_enabled": False}), "cudnn.enabled = True"),
                 ([("inference_mode", {})], {}, "inference_mode()"), ([("cuda_graph", {})], {}, "make_graphed_callables"),
                 ([("layout", {"value": "seq_major_unpacked"})], dict(framework={"batch_first": True}), "batch_first=False"),
                 ([("data_type", {"value": "half", "how": "model"})], {}, "model.to(torch.float16)"),
                 ([("lower_batch", {"value": 16})], {}, "x.split(16, dim=1)")]
        for transforms, keys, words in cases:
            captured = support.call(**keys)
            planned = plan.make_plan(captured, transforms)
            code = "".join(code for _, code in emit.snippets(planned, captured))
            self.assertIn(words, code)
            ast.parse(code.replace("…", "1"))


class Requests(unittest.TestCase):
    def wrong(self, where, **keys):
        import json
        with self.assertRaises(Problem) as caught:
            parse(json.dumps({"protocol": 1, **keys}))
        self.assertEqual(caught.exception.where, where)
        self.assertTrue(caught.exception.remedy)

    def test_wrong_values_are_named(self):
        self.wrong("protocol", protocol=2)
        self.wrong("request", bugdet_s=1)
        self.wrong("budget_s", budget_s=-1)
        self.wrong("budget_s", budget_s=True)
        self.wrong("call", call=[])
        self.wrong("call", call={"hidden": 3})
        self.wrong("call.cell", call={"cell": "LSTM"})
        self.wrong("call.cell", call={"cell": ["lstm"]})
        self.wrong("call.hidden_size", call={"hidden_size": 0})
        self.wrong("call.hidden_size", call={"hidden_size": 1e3})
        self.wrong("call.seq_lengths", call={"seq_lengths": [3, -1]})
        self.wrong("call.seq_lengths", call={"seq_lengths": [3], "batch_size": 2})
        self.wrong("call.proj_size", call={"cell": "gru", "proj_size": 8})
        self.wrong("call.bias_mode", call={"bias_mode": "single_inp_bias"})
        self.wrong("call.framework.cudnn_enabled", call={"framework": {"cudnn_enabled": 1}})
        self.wrong("candidates", candidates={})
        self.wrong("candidates[0].transforms", candidates=[{}])
        self.wrong("candidates[0].transforms", candidates=[{"transforms": []}])
        self.wrong("candidates[0].transforms[0].kind", candidates=[{"transforms": [{}]}])
        self.wrong("candidates", candidates=[{"id": "a", "transforms": [{"kind": "x"}]}] * 2)
        self.wrong("device", device=-1)
        self.wrong("phases", phases=["backward"])
        self.wrong("call_site.line", call_site={"file": "x.py"})
        self.wrong("call_site.file", call_site={"line": 3})

    def test_defaults_are_those_of_a_configuration(self):
        call = parse('{"protocol": 1}').call
        self.assertEqual((call.cell, call.hidden_size, call.input_size, call.proj_size, call.num_layers, call.seq_length, call.batch_size, call.bias),
                         ("lstm", 512, 512, 0, 1, 128, 64, True))
        call = support.call(seq_lengths=[9, 4, 4], layout="seq_major_packed")
        self.assertEqual((call.seq_length, call.batch_size, call.packed, call.equal_lengths), (9, 3, True, False))
        self.assertEqual(support.call(framework={"autocast": "float16", "name": "pytorch"}, data_type="half").module_type, "float")

    def test_recorded_calls_are_requests(self):
        """Configurations as `profile` captured them from PyTorch programs."""
        import json
        import sqlite3
        found = {}
        for file in sorted((support.ROOT / "samples/recorded/programs").glob("pytorch-*.rnnprof")):
            connection = sqlite3.connect("file:{}?mode=ro".format(file), uri=True)
            for (text,) in connection.execute("SELECT json FROM configurations"):
                found[file.stem[8:]] = support.call(**json.loads(text))
            connection.close()
        self.assertGreater(len(found), 12)
        self.assertEqual({name for name, call in found.items() if call.packed}, {"equal-lengths", "speech-encoder"})
        self.assertEqual({name for name, call in found.items() if call.bidirectional}, {"tagger"})
        self.assertEqual((found["two-layers"].num_layers, found["two-layers"].data_type, found["projection"].proj_size), (2, "half", 512))
        self.assertEqual((found["speech-encoder"].equal_lengths, found["equal-lengths"].equal_lengths), (False, True))

    def test_not_json(self):
        for text in ("", "{", "[1]", "nul", '{"protocol": 1} x', "[" * 100000):
            with self.assertRaises(Problem):
                parse(text)


if __name__ == "__main__":
    unittest.main()
