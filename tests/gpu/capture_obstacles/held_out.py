"""More loops as those of programs.py, written after the detector and recorded once; the same arguments."""
import random
import sys

import torch
from torch import nn

import programs
from programs import BATCH, BATCHES, LENGTH, UNITS, Cells, Model, batches, inference, loss_of, training

LAYERS = 2


class Gru(Model):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(UNITS, UNITS, LAYERS, dropout=0.2)


def stops_at_nan(loss):
    if torch.isnan(loss):
        raise SystemExit("the loss is no number")


def norm_printed(model):
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    if float(norm) > 1e6:
        print("the gradient is large")


def norm_kept(model):
    nn.utils.clip_grad_value_(model.parameters(), 1.0)


def drawn_order(logits, wanted):
    order = torch.randperm(LENGTH)  # on the CPU
    return loss_of(logits[order], wanted[order])


def drawn_order_on_gpu(logits, wanted):
    order = torch.randperm(LENGTH, device="cuda")
    return loss_of(logits[order], wanted[order])


def hardest(logits, wanted):
    each = nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
    return each[each > each.mean()].mean()


def hardest_by_topk(logits, wanted):
    each = nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
    return each.topk(LENGTH * BATCH // 4).values.mean()


def accuracy_read(loss):
    return [float(loss), loss.detach().cpu()]


def accumulated():
    """The optimizer's step after every second batch."""
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step(x, wanted):
        for half_x, half_wanted in zip(x.chunk(2, 1), wanted.chunk(2, 1)):
            loss = loss_of(model(half_x), half_wanted)
            loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss
    return step, programs.nothing, batches()


def teacher():
    """Every other word is the model's own, as chance on the CPU decides."""
    model = Model().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    chance = random.Random(5)

    def step(x, wanted):
        optimizer.zero_grad()
        scale = 1.0 if chance.random() < 0.5 else 0.5
        loss = loss_of(model(x * scale), wanted)
        loss.backward()
        optimizer.step()
        return loss
    return step, programs.nothing, batches()


def logged_every_time():
    total = torch.zeros((), device="cuda")

    def keep(loss):
        total.add_(loss.detach())
    return training(finish=keep)


programs.PROGRAMS = {
    "gru-dropout": lambda: training(Gru),
    "stops-at-nan": lambda: training(between=stops_at_nan),
    "norm-printed": lambda: training(before_update=norm_printed),
    "gradients-clamped": lambda: training(before_update=norm_kept),
    "order-from-the-cpu": lambda: training(loss_of=drawn_order),
    "order-on-the-gpu": lambda: training(loss_of=drawn_order_on_gpu),
    "hardest-by-mask": lambda: training(loss_of=hardest),
    "hardest-by-topk": lambda: training(loss_of=hardest_by_topk),
    "read-twice-at-the-end": lambda: training(finish=accuracy_read),
    "accumulated-gradients": accumulated,
    "chance-on-the-cpu": teacher,
    "loss-added-on-the-gpu": logged_every_time,
    "cells-read-at-the-end": lambda: training(Cells, finish=lambda loss: loss.item()),
    "eleven-lengths": lambda: training(data=batches(tuple(range(30, 52, 2)))),
    "inference-stack": lambda: inference(finish=lambda y: y.tolist()),
}

if __name__ == "__main__":
    sys.exit(programs.main())
