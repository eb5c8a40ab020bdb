# What a layer costs in PyTorch without cuDNN: cuDNN's call, PyTorch's own cells (cuDNN switched off), and a cell written by hand with one activation
# changed (relu in the place of tanh). The layer alone, medians in ms. Made cudnn-against-cells.jsonl.
# usage: cudnn-against-cells.py OUTPUT.jsonl
import itertools, json, statistics, subprocess, sys, time, torch


def cell_lstm(gates, h, c, u):
    i, f, g, o = (gates + h @ u).chunk(4, 1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.relu(g)
    return torch.sigmoid(o) * torch.relu(c), c


def cell_gru(gates, h, c, u):
    xr, xz, xn = gates.chunk(3, 1)
    hr, hz, hn = (h @ u).chunk(3, 1)
    r, z = torch.sigmoid(xr + hr), torch.sigmoid(xz + hz)
    return (1 - z) * torch.relu(xn + r * hn) + z * h, c


class ByHand(torch.nn.Module):
    """The product of the input for all steps at once, one cell a step."""

    def __init__(self, cell, units, gates):
        super().__init__()
        self.cell, self.units = cell, units
        self.w = torch.nn.Parameter(torch.randn(units, gates * units) * units ** -0.5 / 2)
        self.u = torch.nn.Parameter(torch.randn(units, gates * units) * units ** -0.5 / 2)

    def forward(self, x):
        gates, h = (x @ self.w).unbind(0), x.new_zeros(x.shape[1], self.units)
        c, y = h, []
        for step in gates:
            h, c = self.cell(step, h, c, self.u)
            y.append(h)
        return torch.stack(y)


def median(module, x, dy, training):
    def once():
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        if training:
            y = module(x)
            (y if torch.is_tensor(y) else y[0]).backward(dy)
        else:
            with torch.no_grad():
                module(x)
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    for _ in range(4):
        once()
    return round(statistics.median(once() for _ in range(11)), 4)


def main():
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    out = open(sys.argv[1], "w")
    print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "driver": driver,
                      "date": time.strftime("%Y-%m-%d")}), file=out, flush=True)
    torch.backends.cuda.matmul.allow_tf32 = True
    shapes = [(cell, kind, units, steps, 32) for cell, kind, units, steps in
              itertools.product(("lstm", "gru"), ("float", "half"), (64, 256, 512, 1024), (32, 128, 512))]
    shapes += [("lstm", kind, units, 128, batch) for kind in ("float", "half") for units in (256, 1024) for batch in (1, 256)]
    for cell, kind, units, steps, batch in shapes:
        row = dict(cell=cell, data_type=kind, units=units, inputs=units, steps=steps, batch=batch, layers=1)
        dtype = torch.float16 if kind == "half" else torch.float32
        module = (torch.nn.LSTM if cell == "lstm" else torch.nn.GRU)(units, units).cuda().to(dtype)
        own = cell_lstm if cell == "lstm" else cell_gru
        gates = 4 if cell == "lstm" else 3
        x = torch.randn(steps, batch, units, device="cuda", dtype=dtype, requires_grad=True)
        dy = torch.randn(steps, batch, units, device="cuda", dtype=dtype)
        ways = {"cudnn": (module, True), "native_cells": (module, False), "by_hand": (ByHand(own, units, gates).cuda().to(dtype), True)}
        for name, (way, enabled) in ways.items():
            torch.backends.cudnn.enabled = enabled
            row[name] = {mode: median(way, x, dy, mode == "training") for mode in ("training", "inference")}
        torch.backends.cudnn.enabled = True
        print(json.dumps(row), file=out, flush=True)


main()
