"""Speech frames with the batch first, one layer in half."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, CLASSES, BATCH, LENGTH = 256, 1024, 40, 64, 128


def training(batch_first=True):
    rnn = nn.LSTM(FEATURES, UNITS, batch_first=batch_first).cuda().half()
    head = nn.Linear(UNITS, CLASSES).cuda().half()
    optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.1)
    shape = (BATCH, LENGTH) if batch_first else (LENGTH, BATCH)
    frames = torch.randn(4, *shape, FEATURES, device="cuda", dtype=torch.half)
    phones = torch.randint(CLASSES, (4, *shape), device="cuda")

    def step(x, wanted):
        loss = nn.functional.cross_entropy(head(rnn(x)[0]).float().flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(frames, phones))


def variants():
    return {"as written": lambda: fed(*training()),
            "time first": lambda: fed(*training(batch_first=False)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
