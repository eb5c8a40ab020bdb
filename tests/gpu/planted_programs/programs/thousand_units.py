"""A character model of a round 1000 units, in half."""
import torch
from torch import nn
from steps import fed, graphed, run

CHARACTERS, EMBEDDING, UNITS, BATCH, LENGTH = 200, 256, 1000, 32, 100


class CharacterModel(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.embedding = nn.Embedding(CHARACTERS, EMBEDDING)
        self.rnn = nn.LSTM(EMBEDDING, units)
        self.head = nn.Linear(units, CHARACTERS)

    def forward(self, text):
        return self.head(self.rnn(self.embedding(text))[0])


def training(units=UNITS):
    model = CharacterModel(units).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    text = torch.randint(CHARACTERS, (4, LENGTH + 1, BATCH), device="cuda")

    def step(part):
        loss = nn.functional.cross_entropy(model(part[:-1]).float().flatten(0, 1), part[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(part,) for part in text]


def variants():
    return {"as written": lambda: fed(*training()),
            "1024 units": lambda: fed(*training(units=1024)),
            "1008 units": lambda: fed(*training(units=1008)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
