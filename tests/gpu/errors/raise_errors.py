#!/usr/bin/env python3
"""Raises errors and warnings of recurrent layers in PyTorch and JAX and has each explained: rnnadvisor must name it by its text, and with
--profile also in a recording of the program that ended with it.

usage: raise_errors.py RNNADVISOR [--out FOLDER] [--profile FOLDER]
       raise_errors.py RNNADVISOR --judge ARCHIVE.tar.xz     the texts and recordings of such a run again; no GPU

Each runs in a process of its own, as an error of CUDA ends one. Those marked gpu are left out without a GPU, and listed; those of JAX without
JAX. --out keeps the texts, --profile the recordings and recorded.json. Exits 1 if one is not named, 77 without PyTorch.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib

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
    "weights-not-flat": (True, "import copy; l = nn.LSTM(10, 20).to(d); l.weight_hh_l0.data = l.weight_hh_l0.data.clone()\nfor _ in range(6): l(torch.randn(5, 3, 10, device=d))[0].sum().backward()"),
    "dropout-one-layer": (False, "nn.LSTM(10, 20, dropout=0.5).to(d)(torch.randn(5, 3, 10, device=d))"),
}
# Their text does not tell: a recording does, which knows how much memory was free.
BY_RECORDING = {
    "cudnn-memory-in-disguise": (
        True,
        "import ctypes\n"
        "l = nn.LSTM(512, 512, 2).to(d).half(); x = torch.randn(32, 64, 512, device=d, dtype=torch.half)\n"
        "pool = torch.empty(192 << 20, device=d, dtype=torch.uint8); del pool  # the allocator has room for reserve space and outputs\n"
        "cuda, at, size = ctypes.CDLL('libcuda.so.1'), ctypes.c_uint64(), 1 << 36\n"
        "while size >= 1 << 21:\n"
        "    if torch.cuda.mem_get_info()[0] - size < 4 << 20 or cuda.cuMemAlloc_v2(ctypes.byref(at), ctypes.c_size_t(size)): size >>= 1\n"
        "l(x)[0].sum().backward()",
    ),
}
JAX_CASES = {
    "jax-dropout-between-layers": (
        True,
        "import jax, jax.numpy as jnp\n"
        "from jax.experimental import rnn\n"
        "w = rnn.init_lstm_weight(jax.random.PRNGKey(1), 32, 64, 3, False)\n"
        "h = jnp.zeros((3, 8, 64)); lengths = jnp.full((8,), 16, jnp.int32)\n"
        "f = lambda w: rnn.lstm(jnp.ones((8, 16, 32)), h, h, w, lengths, 32, 64, 3, 0.2, False)[0].sum()\n"
        "jax.block_until_ready(jax.grad(f)(w))",
    ),
}
PRELUDE = "import torch, sys\nfrom torch import nn\nfrom torch.nn.utils.rnn import pack_padded_sequence as pack\nd = sys.argv[1]\n"


def private(text):
    """Without the folders of the machine."""
    return re.sub(r'(^|")/[^":\n]*?/(torch/)', r"\1\2", text, flags=re.MULTILINE)


class Raiser:
    def __init__(self, options, gpu):
        self.options, self.device = options, "cuda" if gpu else "cpu"
        self.known = tomllib.loads((pathlib.Path(__file__).resolve().parents[3] / "advisor/errors/known_errors.toml").read_text())["error"]
        self.environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

    def by_text(self, name, program):
        ran = subprocess.run([sys.executable, "-c", program, self.device], capture_output=True, text=True, timeout=300, env=self.environment)
        text = private(ran.stderr)
        if self.options.out:
            (self.options.out / f"{name}.txt").write_text(f"{text.rstrip()}\n")
        return self.explained(text), text

    def explained(self, text):
        explained = subprocess.run([self.options.rnnadvisor, "explain-error", "-", "--json"], input=text, capture_output=True, text=True)
        return [each["id"] for each in json.loads(explained.stdout)["errors"]]

    def by_recording(self, name, program):
        """What the recording of the program says: of an error how it ended, of a warning the rule that judges the same."""
        source, profile = (self.options.profile / f"{name}.{kind}" for kind in ("py", "rnnprof"))
        source.write_text(program + "\n")
        command = [self.options.rnnadvisor, "profile", "-q", "--force", "-o", str(profile), "--", sys.executable, str(source), self.device]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=300, env=self.environment)
        source.unlink()
        return self.judged(name, profile) if profile.exists() else ([], ran.stderr)

    def judged(self, name, profile):
        judged = subprocess.run([self.options.rnnadvisor, "advise", str(profile), "--json"], capture_output=True, text=True)
        report = json.loads(judged.stdout)
        if end := report["program_end"]:
            return [error["id"] for each in end["exceptions"] for error in each["errors"]], end["exceptions"][0]["text"]
        rule = next((each.get("rule") for each in self.known if each["id"] == name), None)
        fires = [each["rule"] for each in report["findings"]]
        return [name] if rule in fires else [], f"the program ended well; rules: {', '.join(fires)}"


def judge_again(options):
    raiser, wrong, count = Raiser(options, False), [], 0
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(options.judge) as file:
            file.extractall(name, filter="data")
        for way, found in [("text", lambda path: raiser.explained(path.read_text())), ("recording", lambda path: raiser.judged(path.stem, path)[0])]:
            for path in sorted(pathlib.Path(name).glob("texts/*.txt" if way == "text" else "recordings/*.rnnprof")):
                count += 1
                if found(path)[:1] != [path.stem]:
                    wrong.append(f"{path.stem} ({way}): {', '.join(found(path))}")
    print(f"{count - len(wrong)} of {count} named rightly; wrong: {'; '.join(wrong) or 'none'}")
    sys.exit(bool(wrong) or count < 40)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--judge", type=pathlib.Path)
    options = parser.parse_args()
    if options.judge:
        judge_again(options)
    for folder in filter(None, (options.out, options.profile)):
        folder.mkdir(parents=True, exist_ok=True)
    asked = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__, torch.cuda.is_available())"], capture_output=True, text=True)
    if asked.returncode:
        sys.exit(77)
    version, cuda = asked.stdout.split()
    gpu = cuda == "True"
    has_jax = subprocess.run([sys.executable, "-c", "import jax"], capture_output=True).returncode == 0
    programs = {name: (needs_gpu, PRELUDE + code) for name, (needs_gpu, code) in {**CASES, **BY_RECORDING}.items()}
    programs.update(JAX_CASES if has_jax else {})
    left_out = [name for name, (needs_gpu, _) in programs.items() if needs_gpu and not gpu] + ([] if has_jax else list(JAX_CASES))
    raiser = Raiser(options, gpu)
    jobs = [(raiser.by_text, name) for name in programs if name not in left_out and name not in BY_RECORDING]
    if options.profile:
        jobs += [(raiser.by_recording, name) for name in programs if name not in left_out]
    # What takes all memory runs when nothing else does.
    alone = [job for job in jobs if job[1] in BY_RECORDING]
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 2)) as pool:
        found = list(pool.map(lambda job: job[0](job[1], programs[job[1]][1]), [job for job in jobs if job not in alone]))
    found += [way(name, programs[name][1]) for way, name in alone]
    rows, wrong = [], []
    for (way, name), (ids, text) in zip([job for job in jobs if job not in alone] + alone, found):
        how = "text" if way == raiser.by_text else "recording"
        right = ids[:1] == [name]
        rows.append({"error": name, "by": how, "found": ids, "right": right})
        print(f"{name}, {how}: {', '.join(ids) or 'not recognized'}")
        if not right:
            wrong.append(f"{name} ({how})")
            print(text.strip().splitlines()[-1:] or "it printed nothing")
    if options.profile:
        device = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip() if gpu else "none"
        (options.profile / "recorded.json").write_text(json.dumps({"device": device, "pytorch": version, "date": datetime.date.today().isoformat(), "command": "raise_errors.py RNNADVISOR --profile FOLDER", "errors": rows}, indent=1) + "\n")
    print(f"PyTorch {version}, {'GPU' if gpu else 'no GPU'}: {len(jobs) - len(wrong)} of {len(jobs)} named rightly; left out: {', '.join(left_out) or 'none'}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
