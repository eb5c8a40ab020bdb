"""A speech encoder in half. Each batch has utterances of other lengths, packed."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from steps import run

FEATURES, UNITS, CLASSES, BATCH, BATCHES, LONGEST = 128, 1024, 40, 32, 4, 160


def corpus(bucketed=False):
    """(frames, lengths, targets) of each batch, the longest first."""
    chance = torch.Generator().manual_seed(5)
    lengths = torch.randint(LONGEST // 4, LONGEST + 1, (BATCHES * BATCH,), generator=chance)
    if bucketed:
        lengths = lengths.sort(descending=True).values
    batches = []
    for part in lengths.split(BATCH):
        part = part.sort(descending=True).values
        frames = torch.randn(int(part[0]), BATCH, FEATURES, device="cuda", dtype=torch.half)
        targets = torch.randint(CLASSES, (int(part[0]), BATCH), device="cuda")
        mask = torch.arange(int(part[0]))[:, None] < part
        batches.append((frames, part, targets.masked_fill(~mask.cuda(), -100)))
    return batches


def training(packed=True, bucketed=False):
    encoder, head = nn.LSTM(FEATURES, UNITS).cuda().half(), nn.Linear(UNITS, CLASSES).cuda().half()
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    batches = corpus(bucketed)

    def epoch():
        for frames, lengths, targets in batches:
            if packed:
                y, _ = pad_packed_sequence(encoder(pack_padded_sequence(frames, lengths))[0])
            else:
                y, _ = encoder(frames)
            loss = nn.functional.cross_entropy(head(y).float().flatten(0, 1), targets.flatten(), ignore_index=-100)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        return loss
    return epoch


def variants():
    return {"as written": training,
            "padded, the loss masked": lambda: training(packed=False),
            "bucketed and padded": lambda: training(packed=False, bucketed=True),
            "bucketed and packed": lambda: training(bucketed=True)}


if __name__ == "__main__":
    run(training())
