"""A speech recogniser like Deep Speech 2 in float: five layers of a bidirectional GRU over spectrogram features."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, LAYERS, CHARACTERS, BATCH, LENGTH = 1312, 800, 5, 29, 16, 120


class TwoReaders(nn.Module):
    """A layer as two modules, the second of which reads backwards."""

    def __init__(self, width, units):
        super().__init__()
        self.forwards, self.backwards = nn.GRU(width, units), nn.GRU(width, units)

    def forward(self, x):
        return torch.cat((self.forwards(x)[0], self.backwards(x.flip(0))[0].flip(0)), dim=-1), None


class Recogniser(nn.Module):
    def __init__(self, features, units, split):
        super().__init__()
        widths = [features] + [2 * units] * (LAYERS - 1)
        if split == "layers":
            self.layers = nn.ModuleList(nn.GRU(width, units, bidirectional=True) for width in widths)
        elif split == "directions":
            self.layers = nn.ModuleList(TwoReaders(width, units) for width in widths)
        else:
            self.layers = nn.ModuleList([nn.GRU(features, units, num_layers=LAYERS, bidirectional=True)])
        self.head = nn.Linear(2 * units, CHARACTERS)

    def forward(self, x):
        for layer in self.layers:
            x, _ = layer(x)
        return self.head(x)


def training(features=FEATURES, units=UNITS, utterances=BATCH, split=None, kind=torch.float):
    model = Recogniser(features, units, split).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=3e-4, momentum=0.9, nesterov=True)
    frames = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=kind)
    characters = torch.randint(CHARACTERS, (4, LENGTH, BATCH), device="cuda")

    def step(x, wanted):
        if (features, utterances) != (FEATURES, BATCH):
            x = nn.functional.pad(x, (0, features - FEATURES, 0, utterances - BATCH))
        logits = model(x)[:, :BATCH].float()
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 400.0, foreach=True)
        optimizer.step()
        return loss
    return step, list(zip(frames, characters))


def variants():
    return {"as written": lambda: fed(*training()),
            "one module per layer": lambda: fed(*training(split="layers")),
            "one module per layer and direction": lambda: fed(*training(split="directions")),
            "832 units": lambda: fed(*training(units=832)),
            "896 units": lambda: fed(*training(units=896)),
            "1344 features": lambda: fed(*training(features=1344)),
            "1408 features": lambda: fed(*training(features=1408)),
            "padded to 32 utterances": lambda: fed(*training(utterances=32)),
            "padded to 64 utterances": lambda: fed(*training(utterances=64)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
