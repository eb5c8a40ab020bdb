"""Mixed precision as the tutorials have it: weights in float, autocast around the model, a scaled loss."""
import torch
from torch import nn
from steps import fed, graphed, run

UNITS, BATCH, LENGTH = 1024, 32, 64


def training(half=False, scaled_outside=False):
    model = nn.LSTM(UNITS, UNITS).cuda()
    if half:
        model.half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda", enabled=not half)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda")

    def passes(x):
        optimizer.zero_grad()
        # A recorded step must not find weights that an earlier one cast.
        with torch.autocast("cuda", dtype=torch.float16, enabled=not half, cache_enabled=not scaled_outside):
            y, _ = model(x.half() if half else x)
            loss = y.float().pow(2).mean()
        scaler.scale(loss).backward()
        return loss

    def step(x):
        loss = passes(x)
        scaler.step(optimizer)
        scaler.update()
        return loss

    if not scaled_outside:
        return fed(step, [(x,) for x in data])
    replay = graphed(passes, [(x,) for x in data])

    def replayed():
        loss = replay()
        scaler.step(optimizer)
        scaler.update()
        return loss
    return replayed


def variants():
    return {"as written": training,
            "module in half": lambda: training(half=True),
            "CUDA graph of both passes": lambda: training(scaled_outside=True)}


if __name__ == "__main__":
    run(training())
