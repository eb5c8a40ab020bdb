"""Weight drop (DropConnect on the recurrent weights): the dropped weights are tensors of their own, so PyTorch copies all weights at every call."""
import argparse
import warnings

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
options = parser.parse_args()

UNITS, BATCH, LENGTH = 1024, 32, 70
warnings.simplefilter("ignore")  # PyTorch warns once about exactly this; the recording shows it without
torch.manual_seed(1)
rnn = torch.nn.LSTM(UNITS, UNITS).cuda().half()
raw = torch.nn.Parameter(rnn.weight_hh_l0.detach().clone())
del rnn._parameters["weight_hh_l0"]
parameters = [raw, *rnn.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.01)
x = torch.randn(LENGTH, BATCH, UNITS, device="cuda", dtype=torch.half)
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        rnn.weight_hh_l0 = torch.nn.functional.dropout(raw, 0.5)
        y, _ = rnn(x)
        loss = y.float().pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
