"""The recurrent part of a CRNN that reads words in images, in float: two bidirectional LSTMs of 256 units, CTC. The convolutions are frozen."""
import torch
from torch import nn
from steps import fed, run

FEATURES, UNITS, CHARACTERS, BATCH, LENGTH, WORD = 512, 256, 37, 64, 26, 8


class BidirectionalLSTM(nn.Module):
    def __init__(self, width, outputs, split):
        super().__init__()
        self.split = split
        if split:
            self.forwards, self.backwards = nn.LSTM(width, UNITS), nn.LSTM(width, UNITS)
        else:
            self.rnn = nn.LSTM(width, UNITS, bidirectional=True)
        self.embedding = nn.Linear(2 * UNITS, outputs)

    def forward(self, x):
        if self.split:
            y = torch.cat((self.forwards(x)[0], self.backwards(x.flip(0))[0].flip(0)), dim=-1)
        else:
            y, _ = self.rnn(x)
        return self.embedding(y)


def training(split=False, images=BATCH, kind=torch.float, recorded=False, tf32=False):
    model = nn.Sequential(BidirectionalLSTM(FEATURES, UNITS, split), BidirectionalLSTM(UNITS, CHARACTERS, split)).cuda().to(kind)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    columns = torch.randn(4, LENGTH, BATCH, FEATURES, device="cuda", dtype=kind)
    words = torch.randint(1, CHARACTERS, (4, BATCH, WORD), device="cuda")
    steps, letters = torch.full((BATCH,), LENGTH), torch.full((BATCH,), WORD)
    network = torch.cuda.make_graphed_callables(model, (columns[0].clone(),)) if recorded else model

    def step(x, wanted):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        if images > BATCH:
            x = nn.functional.pad(x, (0, 0, 0, images - BATCH))
        logits = network(x)[:, :BATCH].float()
        loss = nn.functional.ctc_loss(logits.log_softmax(-1), wanted, steps, letters)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(columns, words))


def variants():
    return {"as written": lambda: fed(*training()),
            "directions in modules of their own": lambda: fed(*training(split=True)),
            "padded to 128 images": lambda: fed(*training(images=128)),
            "TF32 for matrix products": lambda: fed(*training(tf32=True)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph of the network": lambda: fed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
