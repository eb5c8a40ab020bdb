"""Fine-tuning in half from a checkpoint whose tensors are put into the module one by one."""
import warnings

import torch
from torch import nn
from steps import fed, graphed, run

warnings.simplefilter("ignore")
UNITS, BATCH, LENGTH = 1024, 8, 40


def restored(checkpoint):
    model = nn.LSTM(UNITS, UNITS).cuda().half()
    for name, weight in model.named_parameters():
        weight.data = checkpoint[name].cuda().half()
    return model


def training(flattened=False):
    model = restored(nn.LSTM(UNITS, UNITS).state_dict())
    if flattened:
        model.flatten_parameters()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    data = torch.randn(4, LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)

    def step(x):
        loss = model(x)[0].float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "flatten_parameters() after restoring": lambda: fed(*training(flattened=True)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
