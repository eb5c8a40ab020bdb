#!/usr/bin/env python3
"""Raises errors and warnings of recurrent layers in PyTorch and has each explained: rnnadvisor must name it by its text.

usage: raise_errors.py RNNADVISOR [--out FOLDER]

Each runs in a process of its own, as an error of CUDA ends one. Those marked gpu are left out without a GPU, and listed. --out keeps the texts.
Exits 1 if one is not named, 77 without PyTorch.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

# name, whether it needs a GPU, and the program. `d` is the device.
CASES = {
    "input-size": (False, "nn.LSTM(10, 20).to(d)(torch.randn(5, 3, 12, device=d))"),
    "input-dimensions": (False, "nn.GRU(10, 20).to(d)(torch.randn(5, 3, 2, 10, device=d))"),
    "hidden-size": (False, "nn.LSTM(10, 20, 2, batch_first=True).to(d)(torch.randn(3, 5, 10, device=d), (torch.zeros(3, 2, 20, device=d),) * 2)"),
    "state-dimensions": (False, "nn.LSTM(10, 20).to(d)(torch.randn(5, 3, 10, device=d), (torch.zeros(1, 20, device=d),) * 2)"),
    "state-is-a-tuple": (False, "nn.GRU(10, 20).to(d)(torch.randn(5, 3, 10, device=d), (torch.zeros(1, 3, 20, device=d),) * 2)"),
    "projection-only-lstm": (False, "nn.GRU(10, 20, proj_size=5)"),
    "projection-too-wide": (False, "nn.LSTM(10, 20, proj_size=20)"),
    "types-differ": (True, "nn.LSTM(10, 20).to(d).half()(torch.randn(5, 3, 10, device=d))"),
    "input-double": (False, "nn.LSTMCell(10, 20).to(d)(torch.randn(3, 10, device=d).double())"),
    "state-elsewhere": (True, "nn.LSTM(10, 20).to(d)(torch.randn(5, 3, 10, device=d), (torch.zeros(1, 3, 20),) * 2)"),
    "weights-elsewhere": (True, "nn.LSTM(10, 20).to(d)(torch.randn(5, 3, 10))"),
    "lengths-not-on-cpu": (True, "pack(torch.randn(5, 3, 10, device=d), torch.tensor([5, 4, 2], device=d))"),
    "lengths-not-sorted": (False, "pack(torch.randn(5, 3, 10, device=d), torch.tensor([2, 4, 5]))"),
    "length-zero": (False, "pack(torch.randn(5, 3, 10, device=d), torch.tensor([5, 4, 0]))"),
    "backward-in-eval": (True, "nn.LSTM(10, 20).to(d).eval()(torch.randn(5, 3, 10, device=d))[0].sum().backward()"),
    "double-backward": (
        True,
        "x = torch.randn(5, 3, 10, device=d, requires_grad=True); g, = torch.autograd.grad(nn.LSTM(10, 20).to(d)(x)[0].sum(), x, create_graph=True); g.sum().backward()",
    ),
    "graph-freed": (False, "l = nn.LSTM(10, 20).to(d); s = None\nfor _ in range(2):\n    y, s = l(torch.randn(5, 3, 10, device=d), s); y.sum().backward()"),
    "changed-in-place": (False, "l = nn.RNN(10, 20).to(d); y, _ = l(torch.randn(5, 3, 10, device=d)); z = y.tanh(); z += 1; z.sum().backward()"),
    "out-of-memory": (True, "nn.LSTM(10, 20).to(d)(torch.randn(5, 3, 10, device=d)); torch.empty(1 << 46, device=d, dtype=torch.uint8)"),
    "device-assert": (True, "e = nn.Embedding(10, 20).to(d); nn.LSTM(20, 20).to(d)(e(torch.full((5, 3), 10, device=d))); torch.cuda.synchronize()"),
    "forked": (
        True,
        "torch.zeros(1, device=d)\n"
        "class D(torch.utils.data.Dataset):\n"
        "    def __len__(self): return 4\n"
        "    def __getitem__(self, i): return torch.zeros(1, device='cuda')\n"
        "list(torch.utils.data.DataLoader(D(), num_workers=1, multiprocessing_context='fork'))",
    ),
    "capture-not-permitted": (
        True,
        "l = nn.LSTM(10, 20).to(d); x = torch.randn(5, 3, 10, device=d); l(x); torch.cuda.synchronize()\n"
        "with torch.cuda.graph(torch.cuda.CUDAGraph()): l(x)[0].sum().item()",
    ),
    "weights-not-flat": (True, "import copy; l = nn.LSTM(10, 20).to(d); l.weight_hh_l0.data = l.weight_hh_l0.data.clone(); l(torch.randn(5, 3, 10, device=d))"),
    "dropout-one-layer": (False, "nn.LSTM(10, 20, dropout=0.5)"),
}
PRELUDE = "import torch, sys\nfrom torch import nn\nfrom torch.nn.utils.rnn import pack_padded_sequence as pack\nd = sys.argv[1]\n"


def private(text):
    """Without the folders of the machine."""
    return re.sub(r'(^|")/[^":\n]*?/(torch/)', r"\1\2", text, flags=re.MULTILINE)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    asked = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__, torch.cuda.is_available())"], capture_output=True, text=True)
    if asked.returncode:
        sys.exit(77)
    version, cuda = asked.stdout.split()
    gpu = cuda == "True"
    wrong, left_out = [], []
    for name, (needs_gpu, code) in CASES.items():
        if needs_gpu and not gpu:
            left_out.append(name)
            continue
        ran = subprocess.run([sys.executable, "-c", PRELUDE + code, "cuda" if gpu else "cpu"], capture_output=True, text=True, timeout=300)
        text = private(ran.stderr)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            (options.out / f"{name}.txt").write_text(f"{text.rstrip()}\n")
        explained = subprocess.run([options.rnnadvisor, "explain-error", "-", "--json"], input=text, capture_output=True, text=True)
        found = [each["id"] for each in json.loads(explained.stdout)["errors"]]
        print(f"{name}: {', '.join(found) or 'not recognized'}")
        if found[:1] != [name]:
            wrong.append(name)
            print(text.strip().splitlines()[-1:] or "it printed nothing")
    print(f"PyTorch {version}, {'GPU' if gpu else 'no GPU'}: {len(CASES) - len(left_out) - len(wrong)} of {len(CASES) - len(left_out)} named rightly; left out without a GPU: {', '.join(left_out) or 'none'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
