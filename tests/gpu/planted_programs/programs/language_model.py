"""A word language model in half, trained on 33 streams of text."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, EMBEDDING, UNITS, LENGTH, STREAMS = 8192, 512, 1024, 96, 33


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, EMBEDDING)
        self.lstm = nn.LSTM(EMBEDDING, UNITS)
        self.decoder = nn.Linear(UNITS, VOCABULARY)

    def forward(self, tokens, rows):
        y, _ = self.lstm(self.embedding(tokens))
        return self.decoder(y[:, :rows])


def training(streams=STREAMS, padding=0):
    model = LanguageModel().cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    text = torch.randint(VOCABULARY, (4, LENGTH + 1, streams), device="cuda")

    def step(chunk):
        tokens = nn.functional.pad(chunk[:-1], (0, padding)) if padding else chunk[:-1]
        logits = model(tokens, streams)
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), chunk[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(chunk,) for chunk in text]


def variants():
    return {"as written": lambda: fed(*training()),
            "padded to 40 streams": lambda: fed(*training(padding=7)),
            "padded to 64 streams": lambda: fed(*training(padding=31)),
            "CUDA graph": lambda: graphed(*training()),
            "32 streams": lambda: fed(*training(streams=32))}


if __name__ == "__main__":
    run(variants()["as written"]())
