"""Training at batch 512 in half, where the standard algorithm keeps the GPU busy."""
import torch
from torch import nn
from steps import fed, graphed, run

UNITS, BATCH, LENGTH = 1024, 512, 64


def training(rows=BATCH):
    model = nn.LSTM(UNITS, UNITS).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)

    def step(x):
        optimizer.zero_grad()
        for part in x.split(rows, dim=1):
            loss = model(part)[0].float().pow(2).mean() * (rows / BATCH)
            loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "rows of 128": lambda: fed(*training(rows=128)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
