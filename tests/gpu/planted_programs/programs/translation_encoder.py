"""Four encoder layers of a translation system in half, with dropout between them."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, UNITS, LAYERS, DROPOUT, BATCH, LENGTH = 4096, 512, 4, 0.2, 32, 64


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, UNITS)
        self.rnn = nn.LSTM(UNITS, UNITS, num_layers=LAYERS, dropout=DROPOUT)
        self.head = nn.Linear(UNITS, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.rnn(self.embedding(tokens))[0])


class LayerByLayer(Encoder):
    def __init__(self):
        super().__init__()
        self.rnn = nn.ModuleList(nn.LSTM(UNITS, UNITS) for _ in range(LAYERS))

    def forward(self, tokens):
        x = self.embedding(tokens)
        for number, layer in enumerate(self.rnn):
            x, _ = layer(nn.functional.dropout(x, DROPOUT, self.training) if number else x)
        return self.head(x)


def training(kind=Encoder, padding=0):
    model = kind().cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    sentences = torch.randint(VOCABULARY, (4, LENGTH, BATCH), device="cuda")

    def step(words):
        tokens = nn.functional.pad(words, (0, padding)) if padding else words
        loss = nn.functional.cross_entropy(model(tokens)[:, :BATCH].float().flatten(0, 1), words.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(words,) for words in sentences]


def variants():
    return {"as written": lambda: fed(*training()),
            "one module per layer": lambda: fed(*training(LayerByLayer)),
            "padded to 64 sentences": lambda: fed(*training(padding=32)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
