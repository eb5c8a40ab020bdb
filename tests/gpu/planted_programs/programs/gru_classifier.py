"""Sentiment of reviews: a GRU in half, its last state classified."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, FEATURES, UNITS, BATCH, LENGTH = 8192, 256, 512, 64, 100


class Classifier(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, FEATURES)
        self.rnn = kind(FEATURES, UNITS)
        self.head = nn.Linear(UNITS, 2)

    def forward(self, words):
        return self.head(self.rnn(self.embedding(words))[0][-1])


def training(kind=nn.GRU):
    model = Classifier(kind).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    reviews = torch.randint(VOCABULARY, (4, LENGTH, BATCH), device="cuda")
    stars = torch.randint(2, (4, BATCH), device="cuda")

    def step(words, wanted):
        loss = nn.functional.cross_entropy(model(words).float(), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(reviews, stars))


def variants():
    return {"as written": lambda: fed(*training()),
            "CUDA graph": lambda: graphed(*training()),
            "LSTM": lambda: fed(*training(nn.LSTM))}


if __name__ == "__main__":
    run(variants()["as written"]())
