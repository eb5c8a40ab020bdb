#!/usr/bin/env python3
"""Records programs with the tools that people already use, so that the importers are tested on real files of a GPU.

usage: record_traces.py OUTPUT_FOLDER [--only NAME …]

Each program of tests/gpu/planted_programs runs unchanged under torch.profiler and again with cuDNN's log (2 steps), jax_lstm.py in several
ways under jax.profiler and with the log. NAME.json.gz, NAME.cudnn.log.gz, NAME.xplane.pb.gz and NAME.trace.json.gz are written, and traces.jsonl
says for each file what it was made with. A few programs are recorded in more ways: see VARIANTS. Exits 1 if a program fails.
"""
import argparse
import concurrent.futures
import datetime
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parents[3]
JAX_PROGRAM = TREE / "tests/gpu/traces/jax_lstm.py"
PLANTED = TREE / "tests/gpu/planted_programs/programs"
STEPS = 8
# What torch.profiler is asked for; the first way is that of every program.
VARIANTS = {
    "": "record_shapes=True",
    ".plain": "",
    ".stack": "record_shapes=True, with_stack=True, profile_memory=True",
    ".tensorboard": "record_shapes=True, schedule=torch.profiler.schedule(wait=1, warmup=1, active=3), on_trace_ready=torch.profiler.tensorboard_trace_handler(folder, use_gzip=True)",
}
IN_MORE_WAYS = ["language_model", "packed_speech", "gru_classifier"]
# Programs in JAX are recorded by jax.profiler, by cuDNN's log and, where the command is given, by `rnnadvisor profile`.
JAX_PROGRAMS = {
    "jax_small": "",
    "jax_stack": "--layers 3 --units 256 --batch 64",
    "jax_both_directions": "--bidirectional --layers 2 --input 80 --length 100",
    "jax_unequal_lengths": "--unequal --units 200 --batch 24",
    "jax_without_tf32": "--exact --units 512 --batch 64",
    "jax_inference": "--inference --units 1024 --length 32 --batch 8",
    "jax_two_lstms": "--second 64 --units 192 --bidirectional",
}

TORCH = """
import os, runpy, sys
program, out, folder = sys.argv[1:4]
sys.path.insert(0, os.path.dirname(program))
import torch, steps
from torch.profiler import profile
sys.argv = [program, "--steps", "{steps}"]
with profile({options}) as traced:
    if {scheduled}:  # a program with a schedule tells the profiler of each step
        run = steps.run
        def stepping(step):
            def each():
                result = step()
                traced.step()
                return result
            run(each)
        steps.run = stepping
    runpy.run_path(program, run_name="__main__")
if not {scheduled}:
    traced.export_chrome_trace(out)
"""
RANKS = """
import os, sys, torch
from torch import distributed, nn
from torch.profiler import profile, tensorboard_trace_handler
distributed.init_process_group("gloo")  # both processes use one GPU
model = nn.parallel.DistributedDataParallel(nn.LSTM(256, 256, 2).cuda())
x = torch.randn(32, 16, 256, device="cuda")
with profile(record_shapes=True, on_trace_ready=tensorboard_trace_handler(sys.argv[1], use_gzip=True)):
    for _ in range(3):
        model(x)[0].sum().backward()
    torch.cuda.synchronize()
"""
LIGHTNING = """
import sys, torch, lightning
from lightning.pytorch.profilers import PyTorchProfiler
class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(128, 256, 2, batch_first=True)
    def training_step(self, batch, _):
        return self.rnn(batch)[0].square().mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.randn(256, 50, 128), batch_size=32)
profiler = PyTorchProfiler(dirpath=sys.argv[1], filename="lightning", record_shapes=True, export_to_chrome=True)
lightning.Trainer(max_epochs=1, profiler=profiler, logger=False, enable_checkpointing=False, enable_progress_bar=False, accelerator="gpu", devices=1).fit(Model(), data)
"""
JAX = """
import os, runpy, sys, jax
program, folder, *rest = sys.argv[1:]
sys.argv = [program, *rest]
jax.profiler.start_trace(folder, create_perfetto_trace=False)
try:
    runpy.run_path(program, run_name="__main__")
finally:
    jax.profiler.stop_trace()
"""


def pack(source, target):
    with open(source, "rb") as plain, open(target, "wb") as file, gzip.GzipFile("", "wb", 9, file, 0) as packed:
        shutil.copyfileobj(plain, packed)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--rnnadvisor", help="the command, which records the programs in JAX as well")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    work = pathlib.Path(tempfile.mkdtemp())
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    asked = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout
    device, driver = asked.strip().split(", ")
    versions = json.loads(subprocess.run([sys.executable, "-c", "import torch, json; print(json.dumps({'pytorch': torch.__version__, 'cudnn': torch.backends.cudnn.version()}))"], capture_output=True, text=True, check=True).stdout)
    try:
        import jax
        versions["jax"] = jax.__version__
    except ImportError:
        pass
    rows, failed = [], []

    def note(name, program, how, file):
        rows.append({"file": file.name, "program": program, "recorded_with": how, "device": device, "driver": driver, "versions": versions,
                     "date": datetime.date.today().isoformat()})

    def run(name, command, **variables):
        ran = subprocess.run(command, capture_output=True, text=True, env={**environment, **variables}, timeout=500)
        if ran.returncode:
            failed.append(name)
            print(f"{name}: {ran.stderr.strip().splitlines()[-1:]}")
        return ran.returncode == 0

    def torch_trace(program, suffix):
        way = VARIANTS[suffix]
        name, folder, out = program.stem + suffix, work / (program.stem + suffix), work / f"{program.stem}{suffix}.json"
        code = TORCH.format(steps=STEPS, options=way, scheduled="schedule" in way)
        if not run(name, [sys.executable, "-c", code, str(program), str(out), str(folder)]):
            return
        target = options.output / f"{name}.json.gz"
        if folder.exists():
            shutil.copy(next(folder.iterdir()), target)
        else:
            pack(out, target)
        note(name, str(program.relative_to(TREE)), f"torch.profiler.profile({way.replace('folder', '…')}), {STEPS} steps", target)

    def cudnn_log(program, arguments, name=None):
        name = name or program.stem
        out = work / f"{name}.log"
        if run(name + ".cudnn", [sys.executable, str(program), *arguments], CUDNN_LOGLEVEL_DBG="3", CUDNN_LOGDEST_DBG=str(out)) and out.exists():
            target = options.output / f"{name}.cudnn.log.gz"
            pack(out, target)
            note(name, str(program.relative_to(TREE)), f"CUDNN_LOGLEVEL_DBG=3, {' '.join(arguments)}", target)

    def jax_trace(name, arguments):
        folder = work / f"{name}.jax"
        if not run(name, [sys.executable, "-c", JAX, str(JAX_PROGRAM), str(folder), *arguments]):
            return
        for found in folder.rglob("*"):
            target = options.output / f"{name}.{'xplane.pb.gz' if found.name.endswith('.xplane.pb') else 'trace.json.gz'}"
            if found.name.endswith(".xplane.pb"):
                pack(found, target)
            elif found.name.endswith(".trace.json.gz"):
                shutil.copy(found, target)
            else:
                continue
            note(name, f"{JAX_PROGRAM.relative_to(TREE)} {' '.join(arguments)}".strip(), "jax.profiler.start_trace", target)

    def profiled(name, arguments):
        target = options.output / f"{name}.rnnprof"
        if run(name + ".rnnprof", [options.rnnadvisor, "profile", "-q", "-o", str(target), "--", sys.executable, str(JAX_PROGRAM), *arguments]):
            note(name, f"{JAX_PROGRAM.relative_to(TREE)} {' '.join(arguments)}".strip(), "rnnadvisor profile", target)

    def folder_of(name, code, launcher):
        folder = work / name
        folder.mkdir()
        script = work / f"run_{name}.py"  # not a name that is imported
        script.write_text(code)
        if run(name, [*launcher, str(script), str(folder)]):
            for index, found in enumerate(sorted(folder.rglob("*.json*"))):
                target = options.output / f"{name}.{index}.json.gz"
                shutil.copy(found, target) if found.suffix == ".gz" else pack(found, target)
                note(name, f"{name} of record_traces.py", "a folder of TensorBoard" if name == "ranks" else "Lightning's PyTorchProfiler", target)

    programs = [each for each in sorted(PLANTED.glob("*.py")) if each.stem != "steps"]
    jobs = [(torch_trace, each, "") for each in programs]
    jobs += [(torch_trace, each, suffix) for each in programs if each.stem in IN_MORE_WAYS for suffix in VARIANTS if suffix]
    jobs += [(cudnn_log, each, ["--steps", "2"]) for each in programs]
    for name, text in JAX_PROGRAMS.items():
        jobs += [(jax_trace, name, text.split()), (cudnn_log, JAX_PROGRAM, text.split(), name)]
        jobs += [(profiled, name, text.split())] if options.rnnadvisor else []
    jobs += [(folder_of, "ranks", RANKS, [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]), (folder_of, "lightning", LIGHTNING, [sys.executable])]
    if options.only:
        jobs = [job for job in jobs if {getattr(job[1], "stem", job[1]), job[-1] if isinstance(job[-1], str) else ""} & set(options.only)]
    # Programs in JAX one after the other: several at once use up the GPU's memory, and wait for each other where a recording is compared.
    alone = [job for job in jobs if job[0] in (jax_trace, profiled) or job[1] == JAX_PROGRAM]
    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        for done in [pool.submit(*job) for job in jobs if job not in alone]:
            done.result()
    for job in alone:
        job[0](*job[1:])
    (options.output / "traces.jsonl").write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in sorted(rows, key=lambda row: row["file"])))
    print(f"{len(rows)} files; failed: {', '.join(failed) or 'none'}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
