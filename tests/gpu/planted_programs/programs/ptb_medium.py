"""The medium model of Zaremba et al. on Penn Treebank, in half: two layers of 650, batch 20, 35 steps."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, UNITS, LAYERS, DROPOUT, BATCH, LENGTH = 10000, 650, 2, 0.5, 20, 35


class LanguageModel(nn.Module):
    def __init__(self, units, split):
        super().__init__()
        self.embedding, self.drop = nn.Embedding(VOCABULARY, units), nn.Dropout(DROPOUT)
        if split:
            self.rnn = nn.ModuleList(nn.LSTM(units, units) for _ in range(LAYERS))
        else:
            self.rnn = nn.LSTM(units, units, num_layers=LAYERS, dropout=DROPOUT)
        self.decoder = nn.Linear(units, VOCABULARY)

    def forward(self, words):
        x = self.drop(self.embedding(words))
        if isinstance(self.rnn, nn.ModuleList):
            for number, layer in enumerate(self.rnn):
                x, _ = layer(self.drop(x) if number else x)
        else:
            x, _ = self.rnn(x)
        return self.decoder(self.drop(x))


def training(units=UNITS, split=False, padding=0):
    model = LanguageModel(units, split).cuda().half()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    text = torch.randint(VOCABULARY, (4, LENGTH + 1, BATCH), device="cuda")

    def step(words):
        given = nn.functional.pad(words[:-1], (0, padding)) if padding else words[:-1]
        logits = model(given)[:, :BATCH].float()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), words[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0, foreach=True)
        optimizer.step()
        return loss
    return step, [(words,) for words in text]


def variants():
    return {"as written": lambda: fed(*training()),
            "656 units": lambda: fed(*training(units=656)),
            "768 units": lambda: fed(*training(units=768)),
            "padded to 24 sequences": lambda: fed(*training(padding=4)),
            "one module per layer": lambda: fed(*training(split=True)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
