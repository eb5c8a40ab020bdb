"""Does a program run as fast as before once CUPTI has been finalized? Prints the median time of a step, ms, of five parts of 60 steps. Between the
parts the tracing of `rnnadvisor profile --capture-range cuda-profiler-api` begins and ends; with `finalize` cuptiFinalize() is called after it.

usage: cupti-finalize.py stack|cells|persistent none|range|finalize, plain or under `rnnadvisor profile`
"""
import sys, time, ctypes, statistics, torch
model, how = sys.argv[1], sys.argv[2]
torch.manual_seed(0)
dev = "cuda"
if model == "stack":  # standard algorithm, half, two layers
    net = torch.nn.LSTM(512, 512, 2).to(dev).half(); x = torch.randn(128, 32, 512, device=dev).half()
    def step():
        y, _ = net(x); y.float().square().mean().backward(); opt.step(); opt.zero_grad()
elif model == "cells":
    net = torch.nn.LSTMCell(256, 256).to(dev); x = torch.randn(64, 32, 256, device=dev)
    def step():
        h = c = torch.zeros(32, 256, device=dev)
        for t in range(64): h, c = net(x[t], (h, c))
        h.square().mean().backward(); opt.step(); opt.zero_grad()
else:  # persistent
    net = torch.nn.LSTM(1024, 1024).to(dev).half(); x = torch.randn(128, 32, 1024, device=dev).half()
    def step():
        y, _ = net(x); y.float().square().mean().backward(); opt.step(); opt.zero_grad()
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
def part(n=60):
    times = []
    for i in range(n):
        torch.cuda.synchronize(); a = time.perf_counter(); step(); torch.cuda.synchronize(); times.append(time.perf_counter() - a)
    return round(1e3 * statistics.median(times[5:]), 4)
rt = torch.cuda.cudart()
out = [part()]
if how != "none": rt.cudaProfilerStart()
out.append(part())
if how != "none": rt.cudaProfilerStop()
out.append(part())
if how == "finalize":
    lib = ctypes.CDLL("libcupti.so.13", mode=4 | ctypes.RTLD_LOCAL)  # RTLD_NOLOAD
    torch.cuda.synchronize(); out.append(("finalize", lib.cuptiFinalize()))
out.append(part()); out.append(part())
print("RESULT", model, how, out)
