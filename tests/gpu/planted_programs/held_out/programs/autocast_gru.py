"""Mixed precision around a GRU that keeps the GPU busy: weights in float, autocast to half, 1536 units, batch 384."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, CLASSES, BATCH, LENGTH = 512, 1536, 64, 384, 60


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(FEATURES, UNITS), nn.Linear(UNITS, CLASSES)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


def training(kind=torch.float, cast=torch.half, rows=BATCH, recorded=False):
    model = Reader().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    scaler = torch.amp.GradScaler("cuda", enabled=cast == torch.half)
    frames = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=kind)
    classes = torch.randint(CLASSES, (4, LENGTH, BATCH), device="cuda")

    def passes(x, wanted):
        optimizer.zero_grad()
        for part, targets in zip(x.split(rows, dim=1), wanted.split(rows, dim=1)):
            # A recorded step must not find weights that an earlier one cast.
            with torch.autocast("cuda", dtype=cast or torch.half, enabled=cast is not None, cache_enabled=not recorded):
                logits = model(part)
            loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), targets.flatten()) * (rows / BATCH)
            scaler.scale(loss).backward()
        return loss

    act = (graphed if recorded else fed)(passes, list(zip(frames, classes)))

    def step():
        loss = act()
        scaler.step(optimizer)
        scaler.update()
        return loss
    return step


def variants():
    return {"as written": training,
            "module in half": lambda: training(kind=torch.half, cast=None),
            "without autocast": lambda: training(cast=None),
            "autocast to bfloat16": lambda: training(cast=torch.bfloat16),
            "rows of 128": lambda: training(rows=128),
            "CUDA graph of both passes": lambda: training(recorded=True)}


if __name__ == "__main__":
    run(variants()["as written"]())
