"""A recurrent model of video: each step copies a batch of frames, 24 MiB, from the CPU. As written the frames lie in pageable memory, so that the
step waits for the copy. With --mode prefetched they are pinned, and the next batch is copied while the GPU works; with --mode bytes the frames are
copied as bytes, a quarter as much, and converted on the GPU; with --mode resident all frames are copied once, before the loop."""
import argparse
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--mode", choices=["pageable", "prefetched", "bytes", "resident"], default="pageable")
options = parser.parse_args()

UNITS, BATCH, LENGTH, PIXELS = 256, 16, 32, 3 * 64 * 64
torch.manual_seed(1)


class Video(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = torch.nn.Linear(PIXELS, UNITS)
        self.rnn = torch.nn.LSTM(UNITS, UNITS)
        self.decode = torch.nn.Linear(UNITS, PIXELS)

    def forward(self, frames):
        y, _ = self.rnn(torch.tanh(self.encode(frames)))
        return self.decode(y)


def on_gpu(batches):
    """Each batch, with the copy of the next one under way."""
    copies, ahead = torch.cuda.Stream(), None
    for batch in batches:
        with torch.cuda.stream(copies):
            batch = batch.to("cuda", non_blocking=True)
        if ahead is not None:
            yield ahead
        torch.cuda.current_stream().wait_stream(copies)
        batch.record_stream(torch.cuda.current_stream())
        ahead = batch
    yield ahead


model = Video().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = torch.randint(256, (8, LENGTH, BATCH, PIXELS), dtype=torch.uint8)
if options.mode != "bytes":
    data = data.float() / 255
batches = list(data)
if options.mode == "prefetched":
    batches = [batch.pin_memory() for batch in batches]
if options.mode == "resident":
    batches = [batch.cuda() for batch in batches]
repeated = (batches[step % len(batches)] for step in range(options.steps))
begins, total = [], torch.zeros((), device="cuda")
for frames in on_gpu(repeated) if options.mode == "prefetched" else (batch.cuda() for batch in repeated):
    begins.append(time.perf_counter())
    with torch.cuda.nvtx.range("step"):
        if frames.dtype == torch.uint8:
            frames = frames.float() / 255
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(frames)[:-1], frames[1:])
        loss.backward()
        optimizer.step()
        total += loss.detach()
torch.cuda.synchronize()
begins.append(time.perf_counter())
half = len(begins) // 2
print(f"{1e3 * (begins[-1] - begins[half]) / (len(begins) - 1 - half):.4f} ms a step")
print(f"loss {total.item() / options.steps:.9g}")
