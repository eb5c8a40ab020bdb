"""Windows of a sensor's signal, all of one length, packed because the collate function always packs. In half."""
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from steps import fed, graphed, run

CHANNELS, UNITS, BATCH, LENGTH = 128, 512, 64, 100


def training(packed=True):
    rnn, head = nn.LSTM(CHANNELS, UNITS).cuda().half(), nn.Linear(UNITS, CHANNELS).cuda().half()
    optimizer = torch.optim.SGD([*rnn.parameters(), *head.parameters()], lr=0.01)
    lengths = torch.full((BATCH,), LENGTH)
    windows = torch.randn(4, LENGTH, BATCH, CHANNELS, device="cuda", dtype=torch.half)

    def step(x):
        if packed:
            y, _ = pad_packed_sequence(rnn(pack_padded_sequence(x, lengths))[0])
        else:
            y, _ = rnn(x)
        loss = nn.functional.mse_loss(head(y).float(), x.float())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, [(x,) for x in windows]


def variants():
    return {"as written": lambda: fed(*training()),
            "plain tensor": lambda: fed(*training(packed=False)),
            "CUDA graph": lambda: graphed(*training())}


if __name__ == "__main__":
    run(variants()["as written"]())
