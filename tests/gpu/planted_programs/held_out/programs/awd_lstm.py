"""A language model of AWD-LSTM's sizes in float: 400, 1150, 1150 and 400 units in three modules, one dropout mask for all steps, tied weights."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, EMBEDDING, UNITS, BATCH, LENGTH = 10000, 400, 1150, 80, 70


def locked_dropout(x, chance):
    return x * (x.new_empty(1, *x.shape[1:]).bernoulli_(1 - chance) / (1 - chance))


class LanguageModel(nn.Module):
    def __init__(self, units, embedding):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, embedding)
        self.rnns = nn.ModuleList(nn.LSTM(*widths) for widths in ((embedding, units), (units, units), (units, embedding)))
        self.decoder = nn.Linear(embedding, VOCABULARY)
        self.decoder.weight = self.embedding.weight

    def forward(self, words):
        x = locked_dropout(self.embedding(words), 0.4)
        for number, rnn in enumerate(self.rnns):
            raw, _ = rnn(x)
            x = locked_dropout(raw, 0.25 if number < 2 else 0.4)
        return self.decoder(x), raw, x


def training(units=UNITS, embedding=EMBEDDING, sequences=BATCH, tf32=False, kind=torch.float):
    model = LanguageModel(units, embedding).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0, weight_decay=1.2e-6)
    text = torch.randint(VOCABULARY, (4, LENGTH + 1, BATCH), device="cuda")

    def step(words):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        given = nn.functional.pad(words[:-1], (0, sequences - BATCH)) if sequences > BATCH else words[:-1]
        logits, raw, dropped = (part[:, :BATCH].float() for part in model(given))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), words[1:].flatten())
        loss = loss + 2 * dropped.pow(2).mean() + (raw[1:] - raw[:-1]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25, foreach=True)
        optimizer.step()
        return loss
    return step, [(words,) for words in text]


def variants():
    return {"as written": lambda: fed(*training()),
            "1152 units": lambda: fed(*training(units=1152)),
            "1280 units": lambda: fed(*training(units=1280)),
            "embedding of 512": lambda: fed(*training(embedding=512)),
            "padded to 96 sequences": lambda: fed(*training(sequences=96)),
            "padded to 128 sequences": lambda: fed(*training(sequences=128)),
            "TF32 for matrix products": lambda: fed(*training(tf32=True)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
