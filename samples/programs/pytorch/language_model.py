"""A word language model in half. The batch of 33 keeps PyTorch from its persistent kernels; 32 would not."""
import argparse

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--batch", type=int, default=33)
options = parser.parse_args()

VOCABULARY, UNITS, LENGTH = 4096, 1024, 128
torch.manual_seed(1)


class LanguageModel(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, UNITS)
        self.lstm = torch.nn.LSTM(UNITS, UNITS)
        self.decoder = torch.nn.Linear(UNITS, VOCABULARY)

    def forward(self, tokens, state):
        y, state = self.lstm(self.embedding(tokens), state)
        return self.decoder(y), state


model = LanguageModel().cuda().half()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
tokens = torch.randint(VOCABULARY, (options.steps * LENGTH + 1, options.batch), device="cuda")
state = tuple(torch.zeros(1, options.batch, UNITS, device="cuda", dtype=torch.half) for _ in range(2))
for step in range(options.steps):
    with torch.cuda.nvtx.range("step"):
        chunk = tokens[step * LENGTH:(step + 1) * LENGTH + 1]
        logits, state = model(chunk[:-1], tuple(s.detach() for s in state))
        loss = torch.nn.functional.cross_entropy(logits.float().flatten(0, 1), chunk[1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(f"loss {loss.item():.9g}")
