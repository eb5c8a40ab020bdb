"""A plain RNN with ReLU in half, within PyTorch's conditions for persistent kernels."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, BATCH, LENGTH = 512, 1024, 64, 200


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(FEATURES, UNITS, nonlinearity="relu")
        self.head = nn.Linear(UNITS, FEATURES)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


def training(kind=torch.half):
    model = Reader().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    data = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=kind)

    def step(x):
        loss = nn.functional.mse_loss(model(x).float(), x.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in data]


def variants():
    return {"as written": lambda: fed(*training()),
            "bfloat16": lambda: fed(*training(torch.bfloat16)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
