"""Translation with attention after PyTorch's tutorial: the context of each step needs the state of the one before, so the decoder's steps cannot be joined."""
import torch
from torch import nn
from steps import fed, graphed, run

VOCABULARY, UNITS, BATCH, LENGTH = 4000, 256, 32, 20


class Decoder(nn.Module):
    def __init__(self, cell, keys_first, head_last):
        super().__init__()
        self.keys_first, self.head_last = keys_first, head_last
        self.embedding = nn.Embedding(VOCABULARY, UNITS)
        self.query, self.key, self.weight = nn.Linear(UNITS, UNITS), nn.Linear(UNITS, UNITS), nn.Linear(UNITS, 1)
        self.rnn = nn.GRUCell(2 * UNITS, UNITS) if cell else nn.GRU(2 * UNITS, UNITS, batch_first=True)
        self.head = nn.Linear(UNITS, VOCABULARY)

    def forward(self, memory, hidden, words):
        keys = self.key(memory) if self.keys_first else None
        outputs = []
        for t in range(words.shape[1]):
            scores = self.weight(torch.tanh(self.query(hidden[0])[:, None] + (keys if self.keys_first else self.key(memory))))
            context = torch.softmax(scores, dim=1).transpose(1, 2) @ memory
            x = torch.cat((self.embedding(words[:, t:t + 1]), context), dim=2)
            if isinstance(self.rnn, nn.GRUCell):
                hidden = self.rnn(x[:, 0], hidden[0])[None]
                y = hidden.transpose(0, 1)
            else:
                y, hidden = self.rnn(x, hidden)
            outputs.append(y if self.head_last else self.head(y))
        y = torch.cat(outputs, dim=1)
        return self.head(y) if self.head_last else y


class Translator(nn.Module):
    def __init__(self, **decoder):
        super().__init__()
        self.embedding, self.drop = nn.Embedding(VOCABULARY, UNITS), nn.Dropout(0.1)
        self.encoder = nn.GRU(UNITS, UNITS, batch_first=True)
        self.decoder = Decoder(**decoder)

    def forward(self, source, given):
        memory, hidden = self.encoder(self.drop(self.embedding(source)))
        return self.decoder(memory, hidden, given)


def training(cell=False, keys_first=False, head_last=False, tf32=False, recorded=False):
    model = Translator(cell=cell, keys_first=keys_first, head_last=head_last).cuda()
    optimizer = torch.optim.Adam(model.parameters(), capturable=recorded)
    sources = torch.randint(VOCABULARY, (4, BATCH, LENGTH), device="cuda")
    targets = torch.randint(VOCABULARY, (4, BATCH, LENGTH + 1), device="cuda")

    def step(source, target):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        logits = model(source, target[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(sources, targets))


def variants():
    return {"as written": lambda: fed(*training()),
            "GRUCell": lambda: fed(*training(cell=True)),
            "keys before the loop": lambda: fed(*training(keys_first=True)),
            "head after the loop": lambda: fed(*training(head_last=True)),
            "TF32 for matrix products": lambda: fed(*training(tf32=True)),
            "CUDA graph": lambda: graphed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
