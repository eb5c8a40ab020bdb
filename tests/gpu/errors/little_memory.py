#!/usr/bin/env python3
"""What cuDNN does when other programs have left little memory of the GPU: one JSON line for each amount that was left.

usage: little_memory.py            each amount, in a process of its own
       little_memory.py MIB TYPE   one

The model and what PyTorch allocates for it are there before the memory is taken. Needs a GPU and PyTorch; nothing else may run on the GPU.
"""
import ctypes
import json
import subprocess
import sys

LEFT = [2, 4, 8, 12, 16, 24, 32, 48, 64, 128]  # MiB


def one(left, data_type):
    import torch
    from torch import nn
    layer = nn.LSTM(512, 512, 2).cuda().to(getattr(torch, data_type))
    x = torch.randn(32, 64, 512, device="cuda", dtype=getattr(torch, data_type))
    pool = torch.empty(192 << 20, device="cuda", dtype=torch.uint8)
    del pool
    cuda, at, size = ctypes.CDLL("libcuda.so.1"), ctypes.c_uint64(), 1 << 36
    while size >= 1 << 20:
        if torch.cuda.mem_get_info()[0] - size < left << 20 or cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)):
            size >>= 1
    row = {"device": torch.cuda.get_device_name(), "pytorch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "data_type": data_type,
           "free_before_mib": torch.cuda.mem_get_info()[0] >> 20}
    try:
        layer(x)[0].sum().backward()
        torch.cuda.synchronize()
        row["ended"] = "well"
    except RuntimeError as error:
        row["ended"] = str(error).splitlines()[0][:200]
    row["free_after_mib"] = torch.cuda.mem_get_info()[0] >> 20
    print(json.dumps(row, sort_keys=True), flush=True)


if len(sys.argv) > 1:
    one(int(sys.argv[1]), sys.argv[2])
else:
    for data_type in ("half", "float"):
        for left in LEFT:
            subprocess.run([sys.executable, __file__, str(left), data_type], timeout=120)
