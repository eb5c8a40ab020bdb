"""A variational autoencoder of sentences in float. The encoder gets packed sentences, whose lengths lie on the GPU and in no order."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence
from steps import fed, run

VOCABULARY, EMBEDDING, UNITS, LATENT, BATCH, BATCHES, LONGEST = 8000, 300, 256, 16, 32, 4, 60


class SentenceVAE(nn.Module):
    def __init__(self, encode):
        super().__init__()
        self.encode = encode
        self.embedding = nn.Embedding(VOCABULARY, EMBEDDING)
        self.encoder, self.decoder = (nn.GRU(EMBEDDING, UNITS, batch_first=True) for _ in range(2))
        self.mean, self.spread, self.start = nn.Linear(UNITS, LATENT), nn.Linear(UNITS, LATENT), nn.Linear(LATENT, UNITS)
        self.head = nn.Linear(UNITS, VOCABULARY)

    def forward(self, words, lengths):
        x = self.embedding(words)
        state = self.encode(self.encoder, x, lengths)
        mean, spread = self.mean(state), self.spread(state)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread)
        y, _ = self.decoder(x[:, :-1], self.start(z)[None])
        return self.head(y), -0.5 * (1 + spread - mean.pow(2) - spread.exp()).sum(1).mean()


def packed(encoder, x, lengths, in_order=False):
    return encoder(pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=in_order))[1][0]


def padded(encoder, x, lengths):
    """The state after each sentence's last word, wherever that stands."""
    y, _ = encoder(x)
    return y[torch.arange(len(y), device=y.device), lengths.to(y.device) - 1]


def by_length(encoder, x, lengths):
    """The longer half of sentences that are in order, then the shorter one."""
    half = len(x) // 2
    return torch.cat([packed(encoder, x[rows, :int(lengths[rows][0])], lengths[rows], True) for rows in (slice(0, half), slice(half, None))])


def corpus(in_order, alike):
    chance = torch.Generator().manual_seed(5)
    lengths = torch.randint(LONGEST // 6, LONGEST + 1, (BATCHES * BATCH,), generator=chance)
    if alike:
        lengths = lengths.sort(descending=True).values
    for part in lengths.split(BATCH):
        part = part.sort(descending=True).values if in_order else part
        words = torch.randint(1, VOCABULARY, (BATCH, int(part.max())), generator=chance)
        yield words.masked_fill(torch.arange(words.shape[1]) >= part[:, None], 0).cuda(), part


def training(encode=packed, in_order=False, alike=False, on_cpu=False, kind=torch.float):
    model = SentenceVAE(encode).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    batches = [(words, lengths if on_cpu else lengths.cuda()) for words, lengths in corpus(in_order, alike)]

    def epoch():
        for words, lengths in batches:
            logits, divergence = model(words, lengths)
            loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), words[:, 1:].flatten(), ignore_index=0) + 0.1 * divergence.float()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss
    return fed(epoch, [()])


def sorted_and_packed(encoder, x, lengths):
    return packed(encoder, x, lengths, in_order=True)


def variants():
    return {"as written": training,
            "padded, the last states gathered": lambda: training(padded),
            "lengths on the CPU": lambda: training(on_cpu=True),
            "sorted by length beforehand": lambda: training(sorted_and_packed, in_order=True),
            "two calls by length": lambda: training(by_length, in_order=True),
            "bucketed and padded": lambda: training(padded, alike=True),
            "bucketed and packed": lambda: training(alike=True),
            "half": lambda: training(kind=torch.half)}


if __name__ == "__main__":
    run(variants()["as written"]())
