"""A teacher-forced decoder that calls nn.GRU for one step at a time."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, UNITS, BATCH, LENGTH = 1000, 256, 64, 40


class Decoder(nn.Module):
    def __init__(self, whole=False):
        super().__init__()
        self.whole = whole
        self.embedding = nn.Embedding(VOCABULARY, UNITS)
        self.rnn = nn.GRU(UNITS, UNITS)
        self.head = nn.Linear(UNITS, VOCABULARY)

    def forward(self, words):
        x = self.embedding(words)
        state = x.new_zeros(1, x.shape[1], UNITS)
        if self.whole:
            return self.head(self.rnn(x, state)[0])
        outputs = []
        for t in range(len(x)):
            y, state = self.rnn(x[t:t + 1], state)
            outputs.append(self.head(y))
        return torch.cat(outputs)


def training(whole=False):
    model = Decoder(whole).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    text = torch.randint(VOCABULARY, (4, LENGTH + 1, BATCH), device="cuda")

    def step(words):
        loss = nn.functional.cross_entropy(model(words[:-1]).flatten(0, 1), words[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(words,) for words in text]


def variants():
    return {"as written": lambda: fed(*training()),
            "whole sequence in one call": lambda: fed(*training(whole=True)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
