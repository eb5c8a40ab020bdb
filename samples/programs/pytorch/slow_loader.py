"""A recurrent model of sound whose features are computed with NumPy, one utterance after the other, in the process that trains: a DataLoader
without workers. The GPU waits for every batch. With --workers N other processes prepare the batches meanwhile."""
import argparse
import time

import numpy
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--workers", type=int, default=0)
options = parser.parse_args()

UNITS, BATCH, FRAMES, WINDOW = 512, 32, 100, 400
torch.manual_seed(1)


class Utterances(torch.utils.data.Dataset):
    def __len__(self):
        return options.steps * BATCH

    def __getitem__(self, index):
        wave = numpy.random.default_rng(index).standard_normal(FRAMES * WINDOW // 2 + WINDOW).astype(numpy.float32)
        frames = numpy.lib.stride_tricks.sliding_window_view(wave, WINDOW)[:: WINDOW // 2][:FRAMES]
        spectrum = numpy.abs(numpy.fft.rfft(frames * numpy.hanning(WINDOW)))[:, :128]
        return numpy.log(spectrum + 1e-6).astype(numpy.float32), index % 10


class Sound(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(128, UNITS, batch_first=True)
        self.head = torch.nn.Linear(UNITS, 10)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


if __name__ == "__main__":
    model = Sound().cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = torch.utils.data.DataLoader(Utterances(), batch_size=BATCH, num_workers=options.workers, pin_memory=options.workers > 0)
    begins = []
    for x, label in loader:
        begins.append(time.perf_counter())
        with torch.cuda.nvtx.range("step"):
            x, label = x.cuda(non_blocking=True), label.cuda(non_blocking=True)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), label)
            loss.backward()
            optimizer.step()
    torch.cuda.synchronize()
    begins.append(time.perf_counter())
    half = len(begins) // 2
    print(f"{1e3 * (begins[-1] - begins[half]) / (len(begins) - 1 - half):.4f} ms a step")
    print(f"loss {loss.item():.9g}")
