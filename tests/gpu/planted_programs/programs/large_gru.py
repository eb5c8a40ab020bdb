"""A large GRU in float (TF32): 2048 units, batch 256."""
import torch
from torch import nn
from steps import fed, graphed, run

UNITS, BATCH, LENGTH = 2048, 256, 40


def training(kind=torch.float):
    model = nn.GRU(UNITS, UNITS).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda", dtype=kind)

    def step(x):
        loss = model(x)[0].float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "half": lambda: fed(*training(torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
