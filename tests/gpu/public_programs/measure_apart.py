#!/usr/bin/env python3
"""Three programs that measure.py cannot reach into, each timed as it is written and with what an expert would change in it, in turn.

measure_apart.py DEST OUTPUT denoiser_stream|haiku_char_lstm|pyro_dmm [--seconds S]: writes OUTPUT/NAME.json as measure.py does, for `judge.py times`. On a GPU.

denoiser_stream: a frame of its stream; "graph of network": what _separate_frame() launches as a CUDA graph; "graph of step": all that feed() does with a frame,
its loudness and its filters kept on the GPU. haiku_char_lstm: one update; the product of each layer's input before the loop over time, the loop unrolled 16 times, and both. pyro_dmm:
a step; "graph of step": the same as a CUDA graph, of padded batches that are cut on the GPU, without Pyro's checks and reads; it is timed last, not in turn.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import random
import sys
import time

sys.dont_write_bytecode = True
from measure_changes import AS_WRITTEN, CONTROL, NETWORK, OUTSIDE, STEP, UNROLLED  # noqa: E402

LEAST_ROUNDS, MOST_ROUNDS = 7, 15


def rounds(name, changes, length, seconds, output):
    """changes: functions that run so many steps, to their end on the GPU."""
    draw, begin, samples, file = random.Random(1), time.monotonic(), {one: [] for one in changes}, output / f"{name}.json"
    first = next(iter(changes))
    for run in changes.values():
        run(max(3, length))
    while len(samples[first]) < MOST_ROUNDS and (len(samples[first]) < LEAST_ROUNDS or time.monotonic() - begin < seconds):
        for one in draw.sample(list(changes), len(changes)):
            changes[one](2)
            start = time.perf_counter()
            changes[one](length)
            samples[one].append(round(1e3 * (time.perf_counter() - start) / length, 4))
    before = json.loads(file.read_text())["samples_ms"] if AS_WRITTEN not in changes else {}
    found = {"program": name, "samples_ms": {**before, **samples}, "steps_in_a_block": length, "graphs": {one: 1 for one in changes if one.startswith("graph")}, "done": True}
    file.write_text(json.dumps(found) + "\n")


def denoiser_stream(folder):
    import math
    import torch
    sys.path.insert(0, str(folder))
    from denoiser import resample
    from denoiser.demucs import Demucs, DemucsStreamer
    torch.manual_seed(1)
    demucs = Demucs(hidden=48, resample=4).to("cuda")
    sound = torch.randn(1, 64000, device="cuda")

    def streamer():
        one = DemucsStreamer(demucs)
        one.feed(sound[:, :one.total_length])
        one.feed(sound[:, :one.stride])
        return one

    def copied(into, values):
        for one, value in zip(into, values):
            one.copy_(value)

    def states(one):
        return [*one.conv_state, *one.lstm_state]

    def network_of(one):
        """_separate_frame(), captured with its states in fixed tensors."""
        run, at = one._separate_frame, {}

        def replayed(frame):
            if not at:
                at["kept"] = kept = [state.clone() for state in states(one)]
                at["frame"], at["graph"] = frame.clone(), torch.cuda.CUDAGraph()
                with torch.cuda.graph(at["graph"]):
                    one.conv_state, one.lstm_state = [state.clone() for state in kept[:-2]], tuple(kept[-2:])
                    at["out"] = run(at["frame"])
                    copied(kept, states(one))
            at["frame"].copy_(frame)
            at["graph"].replay()
            return at["out"]
        one._separate_frame = replayed
        return one

    def step_of(one):
        """feed() with a frame, captured: where it asks math.sqrt() for a number, a tensor of the GPU does; its filters are made once."""
        made = {name: getattr(resample, name) for name in ("kernel_upsample2", "kernel_downsample2")}
        for name, make in made.items():
            setattr(resample, name, lambda zeros, ready=make(56).to("cuda"): ready)
        graph, frame = torch.cuda.CUDAGraph(), sound[:, :one.stride].clone()
        kept, pending = [state.clone() for state in states(one)], one.pending.clone()
        one.variance = torch.as_tensor(one.variance).clone().to("cuda")
        variance, root = one.variance, math.sqrt
        math.sqrt = lambda number: number.sqrt() if isinstance(number, torch.Tensor) else root(number)
        with torch.cuda.graph(graph):
            one.conv_state, one.lstm_state, one.pending = [state.clone() for state in kept[:-2]], tuple(kept[-2:]), pending
            one.feed(frame)
            copied([*kept, pending, variance], [*states(one), one.pending, one.variance])
        math.sqrt = root
        for name, make in made.items():
            setattr(resample, name, make)

        def feed(given):
            frame.copy_(given)
            graph.replay()
        feed.kept = kept, pending, variance, one
        return feed

    def frames(feed):
        def run(count):
            for index in range(count):
                feed(sound[:, 256 * index:256 * index + 256])
            torch.cuda.synchronize()
        return run
    with torch.no_grad():
        written, changed = streamer(), network_of(streamer())
        feeds = {AS_WRITTEN: written.feed, CONTROL: written.feed, NETWORK: changed.feed, STEP: step_of(streamer())}
        yield {name: frames(feed) for name, feed in feeds.items()}, 20


def pyro_dmm(folder):
    import torch
    sys.path[:0] = [str(folder / "examples"), str(folder)]
    import dmm as program
    import pyro
    from pyro.infer import svi as steps, trace_elbo
    poly = program.poly
    torch.manual_seed(1)
    data = poly.load_data(poly.JSB_CHORALES)["train"]
    sequences, lengths = data["sequences"], data["sequence_lengths"]

    def trained():
        options = {"lr": 1e-9, "betas": (0.96, 0.999), "clip_norm": 10.0, "lrd": 0.99996, "weight_decay": 2.0}  # so that all its steps stay alike
        network = program.DMM(use_cuda=True)
        return network, program.SVI(network.model, network.guide, program.ClippedAdam(options), loss=program.Trace_ELBO())
    kept = trained()

    def written(count):
        for _ in range(count):
            kept[1].step(*poly.get_mini_batch(torch.randperm(len(lengths))[:20], sequences, lengths, cuda=True), 0.5)
        torch.cuda.synchronize()
    yield {AS_WRITTEN: written, CONTROL: written}, 2
    ready, times = sequences.cuda(), lengths.cuda()
    places = torch.arange(ready.size(1), device="cuda")

    def turned(values, counts):
        """Each sequence reversed within its length."""
        at = (counts[:, None] - 1 - places).clamp(min=0)
        return values.gather(1, at[..., None].expand(-1, -1, values.size(2)))

    def batch():
        chosen = torch.randperm(len(lengths), device="cuda")[:20]
        return ready[chosen], turned(ready[chosen], times[chosen]), (places < times[chosen, None]).float(), times[chosen]
    static, stream, graph = [one.clone() for one in batch()], torch.cuda.Stream(), torch.cuda.CUDAGraph()
    poly.pad_and_reverse, trace_elbo.torch_item, steps.torch_item, trace_elbo.warn_if_nan = turned, lambda one: one, lambda one: one, lambda *words: None
    pyro.clear_param_store()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream), pyro.validation_enabled(False):
        network, svi = trained()
        for _ in range(3):
            svi.step(*static, 0.5)
        for parameter in network.parameters():
            parameter.grad = None
        with torch.cuda.graph(graph, stream=stream):
            svi.step(*static, 0.5)

    def replayed(count):
        with torch.cuda.stream(stream):
            for _ in range(count):
                torch._foreach_copy_(static, batch())
                graph.replay()
        torch.cuda.synchronize()
    replayed(8)
    assert all(one.isfinite().all() for one in network.parameters())
    yield {STEP: replayed}, 2


def haiku_char_lstm(folder):
    sys.path[:0] = [str(folder / "examples/rnn"), str(folder)]
    import haiku as hk
    import jax
    import jax.numpy as jnp
    from absl import flags
    spec = importlib.util.spec_from_file_location("program", folder / "examples/rnn/train.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    flags.FLAGS(["train.py"])
    data = program.dataset.load("train", batch_size=program.TRAIN_BATCH_SIZE.value, sequence_length=program.SEQUENCE_LENGTH.value)

    def layer(inputs, unroll):
        """hk.LSTM with the product of its input before the loop."""
        size = program.HIDDEN_SIZE.value
        gates, weights = hk.Linear(4 * size)(inputs), hk.get_parameter(f"recurrent_{inputs.shape[-1]}", [size, 4 * size], init=hk.initializers.TruncatedNormal(size ** -0.5))

        def step(state, given):
            i, g, f, o = jnp.split(given + state[0] @ weights, 4, axis=-1)
            cell = jax.nn.sigmoid(f + 1) * state[1] + jax.nn.sigmoid(i) * jnp.tanh(g)
            hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
            return (hidden, cell), hidden
        zeros = jnp.zeros((inputs.shape[1], size))
        return hk.scan(step, (zeros, zeros), gates, unroll=unroll)[1]

    def loss_of(batch, outside, unroll):
        length, count = batch["input"].shape
        if outside:
            hidden = jax.nn.relu(layer(jax.nn.one_hot(batch["input"], program.dataset.NUM_CHARS), unroll))
            logits = hk.nets.MLP([program.HIDDEN_SIZE.value, program.dataset.NUM_CHARS])(layer(hidden, unroll))
        else:
            core = program.make_network()
            logits, _ = hk.dynamic_unroll(core, batch["input"], core.initial_state(count), unroll=unroll)
        told = jax.nn.one_hot(batch["target"], num_classes=logits.shape[-1])
        return -jnp.sum(told * jax.nn.log_softmax(logits)) / (length * count)

    def updates(outside, unroll, own=None):
        init, loss = hk.without_apply_rng(hk.transform(program.sequence_loss if own else lambda batch: loss_of(batch, outside, unroll)))
        optimizer = program.make_optimizer()
        params = init(jax.random.PRNGKey(1), next(data))
        state = program.TrainingState(params, optimizer.init(params))

        @jax.jit
        def update(state, batch):
            changes, opt_state = optimizer.update(jax.grad(loss)(state.params, batch), state.opt_state)
            return program.TrainingState(program.optax.apply_updates(state.params, changes), opt_state)
        kept = [state]

        def run(count):
            for _ in range(count):
                kept[0] = (own or update)(kept[0], next(data))
            jax.block_until_ready(kept[0])
        return run
    written = updates(False, 1, program.update)
    yield {AS_WRITTEN: written, CONTROL: written, OUTSIDE: updates(True, 1), UNROLLED: updates(False, 16), f"{OUTSIDE}, {UNROLLED}": updates(True, 16)}, 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dest", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("program", choices=("denoiser_stream", "haiku_char_lstm", "pyro_dmm"))
    parser.add_argument("--seconds", type=float, default=8)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    for changes, length in globals()[options.program]((options.dest / options.program).resolve()):
        rounds(options.program, changes, length, options.seconds, options.output.resolve())


if __name__ == "__main__":
    main()
