"""The program as rnnadvisor starts it, measuring on the CPU: every kind of change, budget, memory, and that a wrong change is seen."""
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support
from support import SMALL, SPLIT, request, start

torch = support.torch_or_skip("measure_test")
from rnnadvisor_torch import main, measure, request as requests  # noqa: E402


def session(asked, **options):
    """The lines of a request, measured in this process."""
    lines = []
    main.Session(requests.parse(json.dumps(asked)), torch, lines.append, **options).run()
    return lines


class Measured(unittest.TestCase):
    def test_lines(self):
        code, lines, stderr, _ = start(request(call={**SMALL, "dropout": 0.2}))
        self.assertEqual(code, 0, stderr)
        self.assertEqual([line["type"] for line in lines], ["environment", "progress", "candidate", "done"])
        environment, _, found, done = lines
        self.assertEqual((environment["torch"], environment["time"], environment["device"]), (torch.__version__, "CPU", "cpu"))
        self.assertEqual((found["id"], found["status"], found["meaning"]), ("split", "measured", "exact"))
        self.assertFalse(found["flags_changed"])
        self.assertEqual(set(found["phases"]), {"inference", "training"})
        for phase in found["phases"].values():
            rounds = phase["rounds"]
            self.assertGreaterEqual(rounds, 6)
            for way in ("before", "after", "control"):
                self.assertEqual(len(phase["samples"][way]["wall_s"]), rounds)
                self.assertTrue(all(wall >= host > 0 for wall, host in zip(phase["samples"][way]["wall_s"], phase["samples"][way]["host_s"])))
            speedup = phase["speedup"]["wall"]
            self.assertAlmostEqual(speedup["ratio"], phase["median"]["before"]["wall_s"] / phase["median"]["after"]["wall_s"])
            self.assertTrue(speedup["low"] <= speedup["ratio"] <= speedup["high"])
            self.assertIn(phase["verdict"], ("confirmed", "refuted", "inconclusive"))
            self.assertNotIn("gpu", phase["speedup"])
            self.assertEqual(phase["time"], "CPU")
        comparison = found["comparison"]
        weights = {"dweight_ih_l0", "dweight_hh_l0", "dbias_ih_l0", "dbias_hh_l0", "dweight_ih_l1", "dweight_hh_l1", "dbias_ih_l1", "dbias_hh_l1"}
        for key in ("against_original", "original_against_reference", "changed_against_reference"):
            self.assertEqual(set(comparison[key]), {"y", "h_n", "c_n", "dx", "dh0", "dc0"} | weights)
        self.assertTrue(comparison["agrees"])
        self.assertLess(comparison["worst_against_original"], 1e-6)
        self.assertTrue(1e-9 < comparison["worst_original"] < 1e-5)  # float against float64: not zero, and small

    def test_every_change(self):
        """Each on a call that it fits; the results agree, also where several are put together."""
        packed = {**SMALL, "layout": "seq_major_packed", "seq_lengths": [6, 6, 4, 3, 1]}
        equal = {**SMALL, "layout": "seq_major_packed"}
        both = {**SMALL, "direction": "bidirectional"}
        cases = [(SMALL, "split_layers", {}), (both, "split_directions", {}), (SMALL, "pad_batch", {"multiple": 8}), (SMALL, "pad_hidden", {"multiple": 16}),
                 (SMALL, "pad_input", {"multiple": 16}), (SMALL, "data_type", {"value": "double"}), (SMALL, "data_type", {"value": "double", "how": "model"}),
                 (equal, "unpack_equal_lengths", {}), (packed, "bucket_lengths", {"buckets": 2}), (packed, "lower_batch", {"value": 2}),
                 (SMALL, "lower_batch", {"value": 2}), (packed, "chunk_sequence", {"length": 2}), (SMALL, "layout", {"value": "batch_major_unpacked"}),
                 ({**SMALL, "framework": {"batch_first": True}}, "layout", {"value": "seq_major_unpacked"}), (SMALL, "inference_mode", {}),
                 ({**SMALL, "cell": "gru", "bias_mode": "no_bias"}, "split_layers", {}), ({**SMALL, "proj_size": 4}, "split_layers", {}),
                 ({**SMALL, "framework": {"batch_first": True}}, "lower_batch", {"value": 2}), ({**packed, "seq_lengths": [1, 6, 3, 6, 4]}, "split_layers", {})]
        for call, kind, parameters in cases:
            with self.subTest(kind=kind, **call):
                with mock.patch.object(measure, "MOST_ROUNDS", 6):
                    found = session(request(call=call, candidates=[{"transforms": [{"kind": kind, "parameters": parameters}]}], budget_s=600))[-2]
                self.assertEqual(found["status"], "measured", (found.get("what"), found.get("where")))
                self.assertTrue(found["comparison"]["agrees"], found["comparison"])
                self.assertFalse(found["failures"])

    def test_no_cuda(self):
        code, lines, _, _ = start(request(device=0), environment={"CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual((code, lines[-1]["type"], lines[-1]["where"]), (3, "error", "cuda:0"))

    def test_what_means_nothing_on_the_cpu(self):
        _, lines, _, _ = start(request(candidates=[{"transforms": [{"kind": "cuda_graph"}]}]))
        self.assertEqual((lines[-2]["status"], lines[-2]["remedy"]), ("not_applicable", "measure on a GPU"))

    def test_one_that_does_not_apply_does_not_stop_the_others(self):
        _, lines, _, _ = start(request(candidates=[{"id": "a", "transforms": [{"kind": "algo", "parameters": {"value": "standard"}}]}, SPLIT]))
        self.assertEqual([line["status"] for line in lines if line["type"] == "candidate"], ["not_applicable", "measured"])

    def test_out_of_memory(self):
        """Two terabytes of weights: the allocator itself refuses."""
        code, lines, _, _ = start(request(call={**SMALL, "hidden_size": 2**18, "input_size": 2**18}))
        self.assertEqual((code, lines[-2]["status"], lines[-1]["type"]), (0, "out_of_memory", "done"))
        self.assertTrue(lines[-2]["what"] and lines[-2]["remedy"])

    def test_many_candidates_in_little_time(self):
        """The first ones are measured as far as there is time, and the others say that there was none. How exactly is in Budget."""
        call = {"hidden_size": 64, "batch_size": 16, "seq_length": 32, "num_layers": 2}
        _, lines, _, _ = start(request(call=call, budget_s=5, candidates=[{"id": str(i), "transforms": [{"kind": "split_layers"}]} for i in range(24)]))
        self.assertLess(lines[-1]["seconds"], 5 + 20)  # of a busy machine
        late = [line for line in lines if "left no time" in line.get("what", "")]
        self.assertTrue(late)
        self.assertIn("budget of 5 s", late[0]["what"])
        for line in lines:
            for phase in line.get("phases", {}).values():
                self.assertTrue(phase["rounds"] >= 6 or phase["verdict"] == "inconclusive")

    def test_a_step_longer_than_the_budget_does_not_begin(self):
        """Half a minute a step and more on one core."""
        call = {"hidden_size": 1024, "batch_size": 64, "seq_length": 128, "num_layers": 2}
        _, lines, _, _ = start(request(call=call, budget_s=2))
        self.assertLess(lines[-1]["seconds"], 25)
        self.assertEqual((lines[-2]["status"], lines[-2]["comparison"]), ("not_measured", {"unknown": "the budget left no time for it"}))

    def test_a_larger_budget_is_not_wasted(self):
        _, _, _, seconds = start(request(budget_s=400))
        self.assertLess(seconds, 200)

    def test_stdout_is_the_protocol_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sitecustomize.py").write_text("import atexit, os\natexit.register(lambda: print('noise'))\n")
            _, lines, stderr, _ = start(request(), environment={"PYTHONPATH": folder})
        self.assertEqual(lines[-1]["type"], "done")
        self.assertIn("noise", stderr)


class Budget(unittest.TestCase):
    """On a clock of our own: a step of the original takes 1 s, of the changed layer 2 s, everything else no time."""

    def run_with(self, budget, candidates=1):
        now = [0.0]

        class Clockwork(measure.Sampler):
            def sample(self, variant, step, repeats):
                took = 2.0 if variant.settings else 1.0
                now[0] += took * repeats
                return {"wall_s": took, "host_s": took / 2, "gpu_s": None}
        asked = request(budget_s=budget, phases=["inference"], candidates=[{"id": str(i), "transforms": [{"kind": "layout", "parameters": {"value": "batch_major_unpacked"}}]} for i in range(candidates)])
        with mock.patch.object(measure, "Sampler", Clockwork), mock.patch.object(main, "forward_seconds", lambda values: 0.0):
            lines = session(asked, clock=lambda: now[0])
        return [line for line in lines if line["type"] == "candidate"], lines[-1]["seconds"]

    def test_as_many_rounds_as_there_is_time_for(self):
        # Warm-up 3 * 1 s and 3 * 2 s; a round 1 + 2 + 1 s; the bootstrap is given 0.3 s.
        for budget, rounds, stopped in ((13.4, 1, "budget"), (40, 7, "budget"), (69.2, 14, "budget"), (69.4, 15, "tight"), (1000, 15, "tight")):
            (found,), seconds = self.run_with(budget)
            phase = found["phases"]["inference"]
            self.assertEqual((phase["rounds"], phase["stopped"]), (rounds, stopped), budget)
            self.assertEqual(seconds, 9 + 4 * rounds)
            self.assertEqual((phase["speedup"]["wall"]["ratio"], phase["control"]["wall"]["ratio"]), (0.5, 1.0))
            self.assertEqual(phase["verdict"], "refuted" if rounds >= 6 else "inconclusive")

    def test_too_little_for_one_round(self):
        for budget in (0.5, 2, 5, 13.2):
            (found,), seconds = self.run_with(budget)
            self.assertEqual((found["status"], found["phases"]), ("not_measured", {}))
            self.assertLess(seconds, budget + 2)  # a step that began

    def test_shares(self):
        """Three candidates in 120 s. The first has 40 s: (40 - 0.3 - 9) / 4, 7 rounds, 37 s. The second has (120 - 37) / 2 = 41.5 s: 8
        rounds, 41 s. The third has the 42 s that are left: 8 rounds."""
        found, seconds = self.run_with(120, 3)
        self.assertEqual([line["phases"]["inference"]["rounds"] for line in found], [7, 8, 8])
        self.assertLessEqual(seconds, 120)
        found, seconds = self.run_with(240, 3)
        self.assertEqual([line["phases"]["inference"]["rounds"] for line in found], [15, 15, 15])


class Comparison(unittest.TestCase):
    """That a wrong change is seen, not only a right one passed."""

    def test_a_wrong_weight_does_not_agree(self):
        from rnnadvisor_torch import compare, emit, plan, variant
        captured = support.call(**SMALL)
        made = plan.make_plan(captured, [("split_layers", {})])
        text = emit.module_text(made, captured)
        values = variant.Values(torch, captured, "cpu", 1)
        original = variant.Variant(values).results(True, True)
        reference = variant.Variant(values, reference=True).results(True, True)
        errors = compare.relative_errors(original, reference)
        right = variant.Variant(values, made, emitted=text).results(True, True)
        unit = torch.finfo(torch.float32).eps
        self.assertTrue(compare.agrees(errors, compare.relative_errors(right, reference), unit))
        for old, new in (("x = self._between(x, layer)", "x = x * 1.0001"), ("torch.cat(parts) for parts", "torch.cat(parts[::-1]) for parts"),
                         ("1, 0.0, self.bidirectional)", "1, 0.0, self.bidirectional); x = x.detach()")):
            self.assertIn(old, text)
            wrong = variant.Variant(values, made, emitted=text.replace(old, new))
            try:
                found = compare.relative_errors(wrong.results(True, True), reference)
            except RuntimeError:
                continue  # no gradient at all
            self.assertFalse(compare.agrees(errors, found, unit), old)

    def test_closed_forms(self):
        from rnnadvisor_torch import compare
        tensor = torch.tensor
        errors = compare.relative_errors({"a": tensor([3.0, 4.5]), "b": tensor([0.0]), "c": tensor([1.0]), "d": tensor([float("nan")]), "e": tensor([1.0])},
                                         {"a": tensor([3.0, 4.0]), "b": tensor([0.0]), "c": tensor([0.0]), "d": tensor([1.0]), "e": tensor([float("inf")])})
        self.assertEqual(errors, {"a": 0.1, "b": 0.0, "c": None, "d": None, "e": None})
        self.assertIsNone(compare.worst(errors))
        self.assertFalse(compare.agrees({"a": 0.1}, errors, 1.0))

    def test_columns_of_a_gpu(self):
        """With a stand-in for CUDA's clock and memory: a step of 2 ms on the GPU that the host launches at once. No GPU is here."""
        gpu = {"now": 0.0, "held": 1000, "peak": 0}

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing
            def record(self):
                self.at = gpu["now"]
            def elapsed_time(self, end):
                return end.at - self.at  # milliseconds

        def step():
            gpu["now"] += 2.0
            gpu["peak"] = max(gpu["peak"], gpu["held"] + 500)
        way = mock.MagicMock()
        with mock.patch.multiple(torch.cuda, Event=Event, synchronize=lambda device: None, memory_allocated=lambda device: gpu["held"],
                                 max_memory_allocated=lambda device: gpu["peak"], reset_peak_memory_stats=lambda device: gpu.update(peak=gpu["held"])):
            sampler = measure.Sampler(torch, "cuda:0")
            found = sampler.sample(way, step, 5)
            self.assertAlmostEqual(found["gpu_s"], 0.002)
            self.assertLess(found["host_s"], 0.002)
            self.assertGreaterEqual(found["wall_s"], found["host_s"])
            self.assertEqual(measure.Memory(sampler, False).step_peak(way, step), 500)
            samples = {name: [sampler.sample(way, step, 2) for _ in range(6)] for name in ("before", "after", "control")}
            summary = measure._summary(samples, 2, "tight", {}, 1, 1.02, True)
            self.assertEqual(set(summary["speedup"]), {"wall", "host", "gpu"})
            self.assertAlmostEqual(summary["speedup"]["gpu"]["ratio"], 1)
            self.assertEqual(summary["time"], "GPU")

    def test_memory_of_a_graph(self):
        """A stand-in for PyTorch's allocator. Capturing takes a pool of 60, of which nothing counts as allocated afterwards; the original keeps
        10 and needs 40 more in a step, which the allocator caches. No GPU is here."""
        pool = {"allocated": 100, "reserved": 100, "cached": 30, "peak": 0, "allocated_peak": 0}
        def take(kept, passing):
            new = max(0, kept + passing - pool["cached"])
            pool["reserved"] += new
            pool["allocated"] += kept
            pool["allocated_peak"] = max(pool["allocated_peak"], pool["allocated"] + passing)
            pool["cached"] = max(0, pool["cached"] - kept - passing) + passing
            pool["peak"] = max(pool["peak"], pool["reserved"])
        def empty_cache():
            pool["reserved"] -= pool["cached"]
            pool["cached"] = 0
        def capture():  # nothing of it counts as allocated, and nothing of it can be given back
            pool["reserved"] += 60
        pool["reserved"] += pool["cached"]
        class Way:
            module = torch.nn.Linear(2, 2)
            def around(self):
                import contextlib
                return contextlib.nullcontext()
        with mock.patch.multiple(torch.cuda, Event=lambda enable_timing: None, synchronize=lambda device: None, empty_cache=empty_cache,
                                 memory_allocated=lambda device: pool["allocated"], memory_reserved=lambda device: pool["reserved"],
                                 max_memory_allocated=lambda device: pool["allocated_peak"], max_memory_reserved=lambda device: pool["peak"],
                                 reset_peak_memory_stats=lambda device: pool.update(peak=pool["reserved"], allocated_peak=pool["allocated"])):
            from rnnadvisor_torch import measure
            sampler = measure.Sampler(torch, "cuda:0")
            found = {}
            for name in ("before", "after"):
                counted = measure.Memory(sampler, True)
                if name == "before":
                    take(10, 0)
                    step = lambda: take(0, 40)
                else:
                    take(10, 20)  # warm-up before capturing, on the usual pool
                    capture()
                    step = lambda: None  # a replay takes nothing new
                found[name] = (counted.resident(), counted.step_peak(Way(), step), counted.of())
            self.assertEqual(found, {"before": (10, 40, "reserved"), "after": (70, 0, "reserved")})
            # By what is allocated, as other changes are counted, the graph would be free.
            counted = measure.Memory(sampler, False)
            capture()
            self.assertEqual((counted.resident(), counted.of()), (0, "allocated"))

    def test_clocks_of_a_gpu(self):
        """A stand-in nvidia-smi: its words, and what it says when it cannot."""
        import os
        from types import SimpleNamespace
        from rnnadvisor_torch import environment
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "nvidia-smi"
            asked = Path(folder) / "asked"
            def answer(text):
                program.write_text("#!/bin/sh\necho \"$@\" > {}\n{}\n".format(asked, text))
                program.chmod(0o755)
                with mock.patch.dict(os.environ, {"PATH": folder + ":/bin", "CUDA_VISIBLE_DEVICES": "3,5"}), \
                        mock.patch.object(torch.cuda, "get_device_properties", lambda device: SimpleNamespace()):
                    return environment.clocks(torch, "cuda:1")
            seen = {"sm_mhz": 1980.0, "memory_mhz": 3201.0, "celsius": 41.0, "watts": None, "event_reasons": None}
            self.assertEqual(answer("echo 1980, 3201, 41, [N/A]"), seen)
            self.assertEqual(answer("echo 1980, 3201, 41, [N/A], 0x0000000000000044"), {**seen, "event_reasons": 0x44})
            self.assertEqual(answer("echo 1980, 3201, 41, [N/A], [N/A]"), seen)
            # A driver before 535, and one that knows neither name.
            older = "case \"$*\" in *{}*) echo 'Field \"x\" is not a valid field to query.'; exit 2;; *_reasons*) echo 1980, 3201, 41, [N/A], 0x4;; *) echo 1980, 3201, 41, [N/A];; esac"
            self.assertEqual(answer(older.format("clocks_event")), {**seen, "event_reasons": 4})
            self.assertEqual(answer(older.format("_reasons")), seen)
            self.assertIn("-i 5 ", asked.read_text())  # the device as it is numbered outside CUDA_VISIBLE_DEVICES
            self.assertIn("no devices", answer("echo no devices; exit 9")["unknown"])
            self.assertIn("unknown", answer("exit 0"))
            with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
                self.assertIn("not on the path", environment.clocks(torch, "cuda:1")["unknown"])

    def test_units_of_the_types_that_compute(self):
        from rnnadvisor_torch import compare, plan
        def unit(transforms, device="cuda:0", **keys):
            captured = support.call(**keys)
            return compare.unit(torch, *main.computing_types(plan.make_plan(captured, transforms), captured, device))
        off = {"framework": {"allow_tf32": False}}
        split = [("split_layers", {})]
        self.assertEqual(unit(split, num_layers=2, **off), 2.0**-23)
        self.assertEqual(unit(split, num_layers=2), 2.0**-10)
        self.assertEqual(unit(split, "cpu", num_layers=2), 2.0**-23)
        self.assertEqual(unit([("allow_tf32", {"value": True})], **off), 2.0**-10)
        self.assertEqual(unit([("data_type", {"value": "bfloat16"})], **off), 2.0**-7)
        self.assertEqual(unit([("data_type", {"value": "half", "how": "model"})], **off), 2.0**-10)
        self.assertEqual(unit(split, num_layers=2, data_type="double"), 2.0**-52)
        self.assertEqual(unit(split, num_layers=2, data_type="half", framework={"autocast": "bfloat16"}), 2.0**-7)

    def test_flags_are_put_back_and_set_around_a_step(self):
        from rnnadvisor_torch import environment, plan, variant
        captured = support.call(**SMALL, framework={"cudnn_enabled": False, "allow_tf32": False})
        values = variant.Values(torch, captured, "cpu", 1)
        before = environment.flags(torch)
        one, other = variant.Variant(values), variant.Variant(values, plan.make_plan(captured, [("cudnn_enabled", {"value": True}), ("allow_tf32", {"value": True})]))
        for way, wanted in ((one, False), (other, True)):
            with way.around():
                self.assertEqual((torch.backends.cudnn.enabled, torch.backends.cudnn.allow_tf32), (wanted, wanted))
            self.assertEqual(environment.flags(torch), before)

    def test_out_of_memory_of_a_gpu(self):
        """CUDA's own words, as PyTorch 1.13 and later raise them; there is no GPU here to run out of memory."""
        self.assertTrue(main.out_of_memory(torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")))
        self.assertTrue(main.out_of_memory(RuntimeError("cuDNN error: out of memory")))
        self.assertFalse(main.out_of_memory(RuntimeError("CUDNN_STATUS_NOT_SUPPORTED")))

    def test_a_failing_phase_leaves_the_other(self):
        real = measure.measure_phase

        def failing(values, plan, emitted, phase, *rest):
            if phase == "training":
                raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
            return real(values, plan, emitted, phase, *rest)
        with mock.patch.object(measure, "measure_phase", failing), mock.patch.object(measure, "MOST_ROUNDS", 6):
            lines = session(request())
        found = next(line for line in lines if line["type"] == "candidate")
        self.assertEqual((found["status"], list(found["phases"]), found["failures"]["training"]["status"]), ("measured", ["inference"], "out_of_memory"))


if __name__ == "__main__":
    unittest.main()
