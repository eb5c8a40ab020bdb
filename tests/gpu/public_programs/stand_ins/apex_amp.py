"""Stands in for apex.amp, level O1: PyTorch's autocast for the whole program, and a loss scale that is halved when gradients overflow."""
import contextlib

import torch

scale = 2.0**13


def initialize(model, optimizer, opt_level="O1"):
    torch.autocast("cuda", dtype=torch.float16, cache_enabled=False).__enter__()  # a cache would keep the weights of before the optimizer's step
    return model, optimizer


@contextlib.contextmanager
def scale_loss(loss, optimizer):
    global scale
    yield loss.float() * scale
    gradients = [weight.grad for group in optimizer.param_groups for weight in group["params"] if weight.grad is not None]
    finite = all(torch.stack([torch.isfinite(gradient).all() for gradient in gradients]).tolist())
    for gradient in gradients:
        gradient.mul_(1 / scale) if finite else gradient.zero_()
    if not finite:
        scale /= 2
