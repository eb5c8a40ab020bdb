"""Before and after, interleaved, until the interval is tight or the time is spent."""
import gc
import random
import time
import warnings

from . import statistics
from .variant import Variant

WARM_UP = 3
SAMPLE_S = 0.005       # a sample repeats a step until it lasts about this long
MOST_REPEATS = 50
MOST_ROUNDS = 100
TIGHT, TIGHT_ROUNDS = 0.01, 15  # stop when the interval is within 1 % of the ratio to either side


SUMMARY_S = 0.3        # what the bootstrap of MOST_ROUNDS takes, about


class NoTime(Exception):
    """Nothing can be measured in what is left of the budget."""


class Sampler:
    def __init__(self, torch, device):
        self.torch, self.cuda = torch, None if device == "cpu" else device
        if self.cuda:
            self.events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]

    def synchronize(self):
        if self.cuda:
            self.torch.cuda.synchronize(self.cuda)

    def sample(self, variant, step, repeats):
        """Seconds per step: wall (until the GPU has finished), host (until the last launch has returned), gpu (between events)."""
        with variant.around():
            self.synchronize()
            begin = time.perf_counter()
            if self.cuda:
                self.events[0].record()
            for _ in range(repeats):
                step()
            if self.cuda:
                self.events[1].record()
            launched = time.perf_counter()
            self.synchronize()
            end = time.perf_counter()
        gpu = self.events[0].elapsed_time(self.events[1]) / 1000 if self.cuda else None
        return {"wall_s": (end - begin) / repeats, "host_s": (launched - begin) / repeats, "gpu_s": gpu / repeats if self.cuda else None}


class Memory:
    """What one way keeps from here on, and what a step needs at its peak above that, in bytes; None on the CPU.

    A CUDA graph has a pool of its own, of which only what is still referred to counts as allocated, although all of it stays taken as long
    as the graph lives. So both ways of a comparison with a graph are counted by what the allocator has reserved from the driver, with what it
    merely caches given back; that is in blocks of 2 MiB and more."""

    def __init__(self, sampler, graph):
        self.sampler, self.torch, self.cuda, self.graph = sampler, sampler.torch, sampler.cuda, graph
        self.start = self.held()

    def held(self):
        if not self.cuda:
            return 0
        if not self.graph:
            return self.torch.cuda.memory_allocated(self.cuda)
        self.sampler.synchronize()
        self.torch.cuda.empty_cache()
        return self.torch.cuda.memory_reserved(self.cuda)

    def resident(self):
        """None where it is not known, too: what was cached at the start may have been given back meanwhile."""
        held = self.held() - self.start
        return held if self.cuda and held >= 0 else None

    def step_peak(self, variant, step):
        if not self.cuda:
            return None
        with variant.around():
            variant.module.zero_grad(set_to_none=True)
            self.sampler.synchronize()
            before = self.held()
            self.torch.cuda.reset_peak_memory_stats(self.cuda)
            step()
            self.sampler.synchronize()
            peak = self.torch.cuda.max_memory_reserved if self.graph else self.torch.cuda.max_memory_allocated
            return max(0, peak(self.cuda) - before)

    def of(self):
        return "reserved" if self.graph else "allocated"


def measure_phase(values, plan, emitted, phase, deadline, seed, least_gain, clock=time.monotonic):
    """The object "phases.<phase>" of a result. Before, after and the original once more (the control) in each round, in an order that
    is drawn. Raises NoTime."""
    torch, device, deadline = values.torch, values.device, deadline - SUMMARY_S
    sampler = Sampler(torch, device)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that weights are not flat is known here
        ways, memory, graph = {}, {}, "cuda_graph" in {**plan.settings, **plan.parts}
        for name in ("before", "after"):
            if clock() >= deadline:
                raise NoTime
            counted = Memory(sampler, graph)
            variant = Variant(values, plan, emitted=emitted) if name == "after" else Variant(values, baseline_of=plan)
            with variant.around():
                step = variant.step(phase)
            first = sampler.sample(variant, step, 1)["wall_s"]
            memory[name] = {"of": counted.of(), "resident_bytes": counted.resident()}
            if clock() + first > deadline:
                raise NoTime
            for _ in range(WARM_UP - 1):
                last = sampler.sample(variant, step, 1)["wall_s"]
                if clock() + last > deadline:
                    raise NoTime
            memory[name]["step_peak_bytes"] = counted.step_peak(variant, step)
            ways[name] = (variant, step, last)
        if graph and sampler.cuda:  # the cache was emptied since the first way was warm
            for variant, step, _ in ways.values():
                sampler.sample(variant, step, 1)
        repeats = int(min(MOST_REPEATS, max(1, SAMPLE_S / max(1e-9, ways["before"][2]))))
        samples = {name: [] for name in ("before", "after", "control")}
        order, generator, longest, stopped = list(samples), random.Random(seed), 0.0, "budget"
        expected = repeats * (2 * ways["before"][2] + ways["after"][2])
        gc.collect()
        gc.disable()
        try:
            while len(samples["before"]) < MOST_ROUNDS:
                begin = clock()
                if begin + max(longest, expected) > deadline:
                    break
                generator.shuffle(order)
                for name in order:
                    variant, step, _ = ways["after" if name == "after" else "before"]
                    samples[name].append(sampler.sample(variant, step, repeats))
                longest = max(longest, clock() - begin)
                count = len(samples["before"])
                if count >= TIGHT_ROUNDS and count % 5 == 0 and _tight(samples, seed):
                    stopped = "tight"
                    break
            else:
                stopped = "rounds"
        finally:
            gc.enable()
    if not samples["before"]:
        raise NoTime
    return _summary(samples, repeats, stopped, memory, seed, least_gain, sampler.cuda is not None)


def _column(samples, name, key):
    return [sample[key] for sample in samples[name]]


def _tight(samples, seed):
    found = statistics.ratio(_column(samples, "before", "wall_s"), _column(samples, "after", "wall_s"), seed, 200)
    return found["high"] - found["ratio"] <= TIGHT * found["ratio"] and found["ratio"] - found["low"] <= TIGHT * found["ratio"]


def _summary(samples, repeats, stopped, memory, seed, least_gain, cuda):
    keys = ("wall_s", "host_s", "gpu_s") if cuda else ("wall_s", "host_s")
    result = {"rounds": len(samples["before"]), "repeats": repeats, "warm_up_steps": WARM_UP, "stopped": stopped, "memory": memory,
              "time": "GPU" if cuda else "CPU", "samples": {}, "median": {}, "speedup": {}, "control": {}}
    for name in samples:
        result["samples"][name] = {key: _column(samples, name, key) for key in keys}
        result["median"][name] = {key: statistics.median(_column(samples, name, key)) for key in keys}
    for key in keys:
        before = _column(samples, "before", key)
        result["speedup"][key[:-2]] = statistics.ratio(before, _column(samples, "after", key), seed)
        result["control"][key[:-2]] = statistics.ratio(before, _column(samples, "control", key), seed)
    result["verdict"] = statistics.verdict(result["speedup"]["wall"], result["control"]["wall"], least_gain)
    return result
