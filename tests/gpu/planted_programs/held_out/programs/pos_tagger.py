"""Parts of speech as in PyTorch's tutorial, in float: one sentence after the other goes through the LSTM, and sixteen make an optimizer's step."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence, pad_packed_sequence, pad_sequence
from steps import fed, run

VOCABULARY, UNITS, TAGS, SENTENCES, SHORTEST, LONGEST = 8000, 128, 17, 16, 5, 40


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.lstm, self.head = nn.Embedding(VOCABULARY, UNITS), nn.LSTM(UNITS, UNITS), nn.Linear(UNITS, TAGS)

    def forward(self, sentence):
        y, _ = self.lstm(self.embedding(sentence)[:, None])
        return self.head(y[:, 0])

    def padded(self, sentences):
        y, _ = self.lstm(self.embedding(pad_sequence(sentences)))
        return self.head(y)

    def packed(self, sentences):
        y, _ = self.lstm(pack_sequence([self.embedding(sentence) for sentence in sentences], enforce_sorted=False))
        return self.head(pad_packed_sequence(y)[0])


def corpus(steps):
    chance = torch.Generator().manual_seed(5)
    for lengths in torch.randint(SHORTEST, LONGEST + 1, (steps, SENTENCES), generator=chance).tolist():
        yield [[torch.randint(kinds, (length,), generator=chance).cuda() for length in lengths] for kinds in (VOCABULARY, TAGS)]


def training(joined=None, kind=torch.float):
    model = Tagger().cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(sentences, tags):
        optimizer.zero_grad()
        if joined:
            logits = joined(model, sentences).float()
            wanted = pad_sequence(tags, padding_value=-100)
            each = nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none").view_as(wanted)
            loss = (each.sum(0) / (wanted >= 0).sum(0)).mean()
            loss.backward()
        else:
            loss = 0.0
            for sentence, wanted in zip(sentences, tags):
                one = nn.functional.cross_entropy(model(sentence).float(), wanted) / SENTENCES
                one.backward()
                loss += one.detach()
        optimizer.step()
        return loss
    return fed(step, list(corpus(4)))


def variants():
    return {"as written": training,
            "one padded batch": lambda: training(Tagger.padded),
            "one packed batch": lambda: training(Tagger.packed),
            "half": lambda: training(kind=torch.half)}


if __name__ == "__main__":
    run(variants()["as written"]())
