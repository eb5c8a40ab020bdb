"""A tagger for named entities: words are read in both directions, in half."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, TAGS, BATCH, LENGTH = 512, 512, 17, 32, 64


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(FEATURES, UNITS, bidirectional=True)
        self.head = nn.Linear(2 * UNITS, TAGS)

    def forward(self, words):
        return self.head(self.rnn(words)[0])


class TwoReaders(nn.Module):
    def __init__(self):
        super().__init__()
        self.forwards, self.backwards = nn.LSTM(FEATURES, UNITS), nn.LSTM(FEATURES, UNITS)
        self.head = nn.Linear(2 * UNITS, TAGS)

    def forward(self, words):
        there, _ = self.forwards(words)
        back, _ = self.backwards(words.flip(0))
        return self.head(torch.cat((there, back.flip(0)), dim=-1))


def training(kind=Tagger):
    model = kind().cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    words = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=torch.half)
    tags = torch.randint(TAGS, (4, LENGTH, BATCH), device="cuda")

    def step(x, wanted):
        loss = nn.functional.cross_entropy(model(x).float().flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(words, tags))


def variants():
    return {"as written": lambda: fed(*training()),
            "two modules of one direction": lambda: fed(*training(TwoReaders)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
