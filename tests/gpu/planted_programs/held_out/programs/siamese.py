"""Similar questions, by a Manhattan LSTM of 50 units in float: one LSTM reads the left questions, then the right ones."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, EMBEDDING, UNITS, BATCH, LENGTH = 20000, 300, 50, 64, 40


class Twins(nn.Module):
    def __init__(self, embedding, units, together):
        super().__init__()
        self.together = together
        self.embedding = nn.Embedding(VOCABULARY, embedding)
        self.lstm = nn.LSTM(embedding, units)

    def read(self, words):
        return self.lstm(self.embedding(words))[1][0][-1]

    def forward(self, left, right):
        if self.together:
            a, b = self.read(torch.cat((left, right), dim=1)).chunk(2)
        else:
            a, b = self.read(left), self.read(right)
        return a, b


def training(embedding=EMBEDDING, units=UNITS, rows=BATCH, together=False, kind=torch.float):
    model = Twins(embedding, units, together).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    questions = torch.randint(VOCABULARY, (2, 4, LENGTH, BATCH), device="cuda")
    same = torch.randint(2, (4, BATCH), device="cuda").float()

    def step(left, right, wanted):
        if rows > BATCH:
            left, right = (nn.functional.pad(words, (0, rows - BATCH)) for words in (left, right))
        a, b = (state[:BATCH].float() for state in model(left, right))
        loss = nn.functional.mse_loss(torch.exp(-(a - b).abs().sum(-1)), wanted)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.25, foreach=True)
        optimizer.step()
        return loss
    return step, list(zip(*questions, same))


def variants():
    return {"as written": lambda: fed(*training()),
            "both in one batch": lambda: fed(*training(together=True)),
            "52 units": lambda: fed(*training(units=52)),
            "56 units": lambda: fed(*training(units=56)),
            "64 units": lambda: fed(*training(units=64)),
            "128 units": lambda: fed(*training(units=128)),
            "embedding of 304": lambda: fed(*training(embedding=304)),
            "embedding of 320": lambda: fed(*training(embedding=320)),
            "embedding of 384": lambda: fed(*training(embedding=384)),
            "padded to 128 questions": lambda: fed(*training(rows=128)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
