"""Music of 512 steps in half: one LSTM layer of 1024 units, batch 64, every size a multiple of 128."""
import torch
from torch import nn
from steps import fed, graphed, run

EVENTS, EMBEDDING, UNITS, BATCH, LENGTH = 384, 256, 1024, 64, 512


class Composer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.rnn, self.head = nn.Embedding(EVENTS, EMBEDDING), nn.LSTM(EMBEDDING, UNITS), nn.Linear(UNITS, EVENTS)

    def forward(self, events, state=None):
        y, state = self.rnn(self.embedding(events), state)
        return self.head(y), state


def training(pieces=BATCH, rows=BATCH, length=LENGTH, kind=torch.half):
    model = Composer().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    music = torch.randint(EVENTS, (4, LENGTH + 1, BATCH), device="cuda")

    def passes(events, wanted):
        """Both passes over some of the pieces; the gradient does not leave a chunk."""
        state = None
        for part, targets in zip(events.split(length), wanted.split(length)):
            logits, state = model(part, state)
            state = tuple(one.detach() for one in state)
            loss = nn.functional.cross_entropy(logits[:, :targets.shape[1]].float().flatten(0, 1), targets.flatten())
            loss = loss * (targets.numel() / (LENGTH * BATCH))
            loss.backward()
        return loss

    def step(events):
        optimizer.zero_grad()
        if pieces > BATCH:
            loss = passes(nn.functional.pad(events[:-1], (0, pieces - BATCH)), events[1:])
        else:
            for part in events.split(rows, dim=1):
                loss = passes(part[:-1], part[1:])
        optimizer.step()
        return loss
    return step, [(events,) for events in music]


def variants():
    return {"as written": lambda: fed(*training()),
            "padded to 128 pieces": lambda: fed(*training(pieces=128)),
            "rows of 32": lambda: fed(*training(rows=32)),
            "two chunks of 256 steps": lambda: fed(*training(length=256)),
            "bfloat16": lambda: fed(*training(kind=torch.bfloat16)),
            "float": lambda: fed(*training(kind=torch.float)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
