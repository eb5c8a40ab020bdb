"""A character model after Karpathy's char-rnn in float: batches of 50, two layers of 200 units, one-hot characters, the state carried from batch to batch."""
import torch
from torch import nn
from steps import fed, graphed, run

CHARACTERS, UNITS, LAYERS, DROPOUT, STREAMS, LENGTH = 65, 200, 2, 0.5, 50, 50


class CharRNN(nn.Module):
    def __init__(self, characters, units, split):
        super().__init__()
        self.drop = nn.Dropout(DROPOUT)
        if split:
            self.layers = nn.ModuleList(nn.LSTM(width, units) for width in (characters, units))
        else:
            self.layers = nn.ModuleList([nn.LSTM(characters, units, num_layers=LAYERS, dropout=DROPOUT)])
        self.head = nn.Linear(units, CHARACTERS)

    def forward(self, x, states):
        after = []
        for number, layer in enumerate(self.layers):
            x, state = layer(self.drop(x) if number else x, states[number])
            after.append(state)
        return self.head(self.drop(x)), after


def training(characters=CHARACTERS, units=UNITS, streams=STREAMS, split=False, kind=torch.float, recorded=False):
    model = CharRNN(characters, units, split).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    text = torch.randint(CHARACTERS, (4, LENGTH + 1, STREAMS), device="cuda")
    one_hot = nn.functional.one_hot(text[:, :-1], CHARACTERS).to(kind)
    layers = 1 if split else LAYERS
    states = [tuple(torch.zeros(layers, streams, units, device="cuda", dtype=kind) for _ in "hc") for _ in model.layers]

    def step(x, wanted):
        nonlocal states
        if (characters, streams) != (CHARACTERS, STREAMS):
            x = nn.functional.pad(x, (0, characters - CHARACTERS, 0, streams - STREAMS))
        logits, after = model(x, states)
        loss = nn.functional.cross_entropy(logits[:, :STREAMS].float().flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0, foreach=True)
        optimizer.step()
        if recorded:  # a recorded step finds the state where it left it
            for held, new in zip(states, after):
                for place, value in zip(held, new):
                    place.copy_(value.detach())
        else:
            states = [tuple(value.detach() for value in state) for state in after]
        return loss
    return step, list(zip(one_hot, text[:, 1:]))


def variants():
    return {"as written": lambda: fed(*training()),
            "one module per layer": lambda: fed(*training(split=True)),
            "224 units": lambda: fed(*training(units=224)),
            "256 units": lambda: fed(*training(units=256)),
            "padded to 68 characters": lambda: fed(*training(characters=68)),
            "padded to 72 characters": lambda: fed(*training(characters=72)),
            "padded to 96 characters": lambda: fed(*training(characters=96)),
            "padded to 128 characters": lambda: fed(*training(characters=128)),
            "padded to 52 streams": lambda: fed(*training(streams=52)),
            "padded to 56 streams": lambda: fed(*training(streams=56)),
            "padded to 64 streams": lambda: fed(*training(streams=64)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
