"""Perplexity of a validation set in half; without eval() and no_grad(), and the losses are kept."""
import contextlib

import torch
from torch import nn
from steps import run

VOCABULARY, UNITS, BATCH, LENGTH, BATCHES = 2000, 512, 64, 128, 6


class LanguageModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, UNITS)
        self.lstm = nn.LSTM(UNITS, UNITS)
        self.decoder = nn.Linear(UNITS, VOCABULARY)

    def forward(self, words):
        return self.decoder(self.lstm(self.embedding(words))[0])


def evaluation(inference=False):
    model = LanguageModel().cuda().half()
    if inference:
        model.eval()
    text = torch.randint(VOCABULARY, (BATCHES, LENGTH + 1, BATCH), device="cuda")

    def evaluate():
        losses = []
        with torch.inference_mode() if inference else contextlib.nullcontext():
            for words in text:
                logits = model(words[:-1]).float()
                losses.append(nn.functional.cross_entropy(logits.flatten(0, 1), words[1:].flatten()))
            return torch.stack(losses).mean().exp()
    return evaluate


def variants():
    return {"as written": evaluation,
            "eval() and inference_mode()": lambda: evaluation(inference=True)}


if __name__ == "__main__":
    run(evaluation())
