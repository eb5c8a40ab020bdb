"""Greedy decoding: every word is fed back, so the steps cannot be joined."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, UNITS, BATCH, LENGTH = 4000, 512, 16, 50


class Decoder(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, UNITS)
        self.rnn = (nn.LSTMCell if cell else nn.LSTM)(UNITS, UNITS)
        self.head = nn.Linear(UNITS, VOCABULARY)

    def forward(self, h, c):
        word = torch.zeros(BATCH, dtype=torch.long, device=h.device)
        words = []
        for _ in range(LENGTH):
            x = self.embedding(word)
            if isinstance(self.rnn, nn.LSTMCell):
                h, c = self.rnn(x, (h, c))
                y = h
            else:
                y, (h, c) = self.rnn(x[None], (h, c))
                y = y[0]
            word = self.head(y).argmax(-1)
            words.append(word)
        return torch.stack(words)


def decoding(cell=False):
    model = Decoder(cell).cuda().half().eval()
    states = torch.randn(4, 2, 1, BATCH, UNITS, device="cuda", dtype=torch.half)

    def decode(state):
        h, c = state[:, 0] if cell else state
        with torch.inference_mode():
            return model(h, c).float().mean()
    return decode, [(state,) for state in states]


def variants():
    return {"as written": lambda: fed(*decoding()),
            "LSTMCell": lambda: fed(*decoding(cell=True)),
            "CUDA graph": lambda: graphed(*decoding())}


if __name__ == "__main__":
    run(variants()["as written"]())
