"""The sizes of ELMo in float: two layers in each direction, 4096 units projected to 512, with a connection around the second."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, PROJECTION, VOCABULARY, BATCH, LENGTH = 512, 4096, 512, 2000, 128, 20


class Direction(nn.Module):
    def __init__(self, units, projection):
        super().__init__()
        outputs = projection or units
        self.low, self.high = nn.LSTM(FEATURES, units, proj_size=projection), nn.LSTM(outputs, units, proj_size=projection)
        self.head = nn.Linear(outputs, VOCABULARY)

    def forward(self, x):
        low, _ = self.low(x)
        return self.head(low + self.high(low)[0])


def training(projection=PROJECTION, streams=False, kind=torch.float, rows=BATCH, tf32=False):
    there, back = (Direction(UNITS, projection).cuda().to(kind) for _ in range(2))
    optimizer = torch.optim.SGD([*there.parameters(), *back.parameters()], lr=0.1)
    vectors = torch.randn(4, LENGTH + 2, BATCH, FEATURES, device="cuda", dtype=kind)
    words = torch.randint(VOCABULARY, (4, LENGTH + 2, BATCH), device="cuda")
    side = torch.cuda.Stream() if streams else None

    def both(x):
        if side is None:
            return there(x[:-2]), back(x[2:].flip(0))
        here = torch.cuda.current_stream()
        side.wait_stream(here)
        with torch.cuda.stream(side):
            second = back(x[2:].flip(0))
        first = there(x[:-2])
        here.wait_stream(side)
        second.record_stream(here)
        return first, second

    def step(x, wanted):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        optimizer.zero_grad()
        for part, targets in zip(x.split(rows, dim=1), wanted[1:-1].split(rows, dim=1)):
            ahead, behind = (logits.float().flatten(0, 1) for logits in both(part))
            loss = nn.functional.cross_entropy(ahead, targets.flatten()) + nn.functional.cross_entropy(behind, targets.flip(0).flatten())
            loss = loss * (rows / BATCH)
            loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(vectors, words))


def variants():
    return {"as written": lambda: fed(*training()),
            "a stream for each direction": lambda: fed(*training(streams=True)),
            "rows of 64": lambda: fed(*training(rows=64)),
            "TF32 for matrix products": lambda: fed(*training(tf32=True)),
            "without projection": lambda: fed(*training(projection=0)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
