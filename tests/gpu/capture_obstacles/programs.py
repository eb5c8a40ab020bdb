"""Training and inference loops of which some hold what no CUDA graph can, one to a name.

usage: programs.py NAME [--steps N]     runs one of them, to be recorded
       programs.py --capture FILE.json  tries to capture the step of each as a CUDA graph, and writes what happened

A loop makes `step(*batch)` and then `finish(result)` for each batch. What lies in `finish` may stay outside of a graph, so both are tried: the step with it,
as it is written, and the step alone.
"""
import argparse
import itertools
import json
import math
import os
import sys
import traceback

import torch
from torch import nn

UNITS, BATCH, LENGTH, CLASSES, BATCHES = 256, 32, 50, 64, 4


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(UNITS, UNITS), nn.Linear(UNITS, CLASSES)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


class Autocast(Model):
    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.bfloat16, cache_enabled=False):
            return super().forward(x)


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(UNITS, UNITS), nn.Linear(UNITS, CLASSES)

    def forward(self, x):
        h = c = x.new_zeros(x.shape[1], UNITS)
        out = []
        for row in x:
            h, c = self.cell(row, (h, c))
            out.append(h)
        return self.head(torch.stack(out))


def nothing(_):
    pass


def batches(lengths=(LENGTH,) * BATCHES):
    return [(torch.randn(t, BATCH, UNITS, device="cuda"), torch.randint(CLASSES, (t, BATCH), device="cuda")) for t in lengths]


def loss_of(logits, wanted):
    return nn.functional.cross_entropy(logits.float().flatten(0, 1), wanted.flatten())


def training(model=Model, between=nothing, before_update=nothing, finish=nothing, data=None, loss_of=loss_of, optimizer=None, to_gpu=False):
    """between: forward and backward; before_update: backward and the optimizer's step, with the model; finish: after the step."""
    model = model().cuda()
    optimizer = (optimizer or (lambda weights: torch.optim.SGD(weights, lr=0.01)))(model.parameters())

    def step(x, wanted):
        optimizer.zero_grad()
        loss = loss_of(model(x), wanted)
        between(loss)
        loss.backward()
        before_update(model)
        optimizer.step()
        return loss
    return step, finish, data or batches()


def grad_scaler():
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda")

    def step(x, wanted):
        optimizer.zero_grad()
        with torch.autocast("cuda", dtype=torch.half, cache_enabled=False):
            loss = loss_of(model(x), wanted)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss
    return step, nothing, batches()


def packed(equal=False):
    chance = torch.Generator().manual_seed(3)

    class Packed(Model):
        def forward(self, x, lengths):
            y, _ = self.rnn(nn.utils.rnn.pack_padded_sequence(x, lengths, enforce_sorted=False))
            return self.head(nn.utils.rnn.pad_packed_sequence(y, total_length=LENGTH)[0])
    model = Packed().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    lengths = [torch.full((BATCH,), LENGTH) if equal else torch.randint(10, LENGTH + 1, (BATCH,), generator=chance) for _ in range(BATCHES)]

    def step(x, wanted, length):
        optimizer.zero_grad()
        loss = loss_of(model(x, length), wanted)
        loss.backward()
        optimizer.step()
        return loss
    return step, nothing, [(*batch, length) for batch, length in zip(batches(), lengths)]


def masked(logits, wanted):
    mask = wanted > 0
    return nn.functional.cross_entropy(logits[mask], wanted[mask])


def sampling(logits, wanted):
    chosen = torch.distributions.Categorical(logits=logits).sample()
    return loss_of(logits, wanted) + 0 * chosen.float().mean()


def weighted_by_list(logits, wanted):
    weight = torch.tensor([1.0 + 0.01 * i for i in range(CLASSES)], device="cuda")
    return nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), weight=weight)


def finite(loss):
    if not math.isfinite(loss.item()):
        raise SystemExit("the loss is not finite")


def clip(strict):
    return lambda model: nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=strict)


def synchronize(_):
    torch.cuda.synchronize()


def empty_cache(_):
    torch.cuda.empty_cache()


def events():
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()

    def finish(_):
        end.record()
        end.synchronize()
        begin.record()
    return training(finish=finish)


def to_pinned_memory():
    held = torch.zeros((), pin_memory=True)
    return training(between=lambda loss: held.copy_(loss.detach(), non_blocking=True))


def batches_from_the_host():
    step, finish, data = training()
    host = [tuple(part.cpu() for part in batch) for batch in data]
    return step, finish, host


def inference(each=False, finish=nothing):
    model = Model().cuda().eval()

    def step(x):
        with torch.inference_mode():
            return model(x).argmax(-1)

    def words(x):
        with torch.inference_mode():
            state, out = None, []
            for row in x[:20]:
                y, state = model.rnn(row[None], state)
                word = model.head(y).argmax(-1)
                out.append(word)
                if bool((word < 0).all()):
                    break
            return torch.cat(out)
    return (words if each else step), finish, [(x,) for x, _ in batches()]


PROGRAMS = {
    "plain": training,
    "clipped": lambda: training(before_update=clip(False)),
    "adam": lambda: training(optimizer=torch.optim.Adam),
    "adam-capturable": lambda: training(optimizer=lambda weights: torch.optim.Adam(weights, capturable=True)),
    "bfloat16": lambda: training(Autocast),
    "cells": lambda: training(Cells),
    "batches-from-the-host": batches_from_the_host,
    "to-pinned-memory": to_pinned_memory,
    "loss-read-at-the-end": lambda: training(finish=lambda loss: loss.item()),
    "synchronize-at-the-end": lambda: training(finish=synchronize),
    "timed-by-events": events,
    "inference": inference,
    "inference-read": lambda: inference(finish=lambda y: y.cpu()),
    "grad-scaler": grad_scaler,
    "loss-read-in-the-middle": lambda: training(between=finite),
    "clipped-strictly": lambda: training(before_update=clip(True)),
    "synchronize-in-the-middle": lambda: training(between=synchronize),
    "boolean-mask": lambda: training(loss_of=masked),
    "sampling": lambda: training(loss_of=sampling),
    "weights-from-a-list": lambda: training(loss_of=weighted_by_list),
    "empty-cache-at-the-end": lambda: training(finish=empty_cache),
    "empty-cache-in-the-middle": lambda: training(before_update=empty_cache),
    "decoding-until-the-end": lambda: inference(each=True),
    "cells-and-a-read": lambda: training(Cells, between=finite),
    "changing-lengths": lambda: training(data=batches((50, 44, 38, 32))),
    "a-shorter-last-batch": lambda: training(data=batches((50, 50, 50, 50, 50, 50, 50, 44))),
    "packed": packed,
    "packed-equal": lambda: packed(equal=True),
}


def captured(name, with_finish):
    torch.manual_seed(1)
    step, finish, data = PROGRAMS[name]()
    batch = [part.cuda() if part.dim() > 1 else part for part in data[0]]

    def act():
        result = step(*batch)
        if with_finish:
            finish(result)
        return result
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            act()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            act()
        graph.replay()
        torch.cuda.synchronize()
    except Exception as error:
        return "{}: {}".format(type(error).__name__, str(error).strip().split("\n")[0][:300])
    return ""


def in_a_child(act):
    """What act() returns, or how its process ended: a failed capture can leave CUDA in a state that nothing works in."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, json.dumps(act()).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else "the process ended"


def capture_all(file):
    found = {"torch": torch.__version__, "cuda": torch.version.cuda, "programs": {}}
    for name in PROGRAMS:
        step_alone = in_a_child(lambda: captured(name, False))
        as_written = in_a_child(lambda: captured(name, True))
        found["programs"][name] = {"step_alone": step_alone or "captured", "as_written": as_written or "captured"}
        print("{:28} step alone: {:60.60} as written: {:.60}".format(name, step_alone or "captured", as_written or "captured"), flush=True)
        with open(file, "w") as out:
            json.dump(found, out, indent=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?", choices=sorted(PROGRAMS))
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--capture", metavar="FILE")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.list:
        print("\n".join(PROGRAMS))
    elif options.capture:
        capture_all(options.capture)
    elif options.name:
        torch.manual_seed(1)
        step, finish, data = PROGRAMS[options.name]()
        result = None
        for batch in itertools.islice(itertools.cycle(data), options.steps):
            # The lengths of packed sequences stay on the CPU.
            result = step(*[part.cuda() if part.dim() > 1 else part for part in batch])
            finish(result)
        print("result", float(result.float().mean()))
    else:
        parser.error("a name, or --capture")
    return 0


if __name__ == "__main__":
    sys.exit(main())
