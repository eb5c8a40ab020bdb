#!/usr/bin/env python3
"""prove.py BIN_FOLDER OUTPUT_FOLDER [--seed N] [--count N] [--only sizes,fit,torch] [--torch-count N]: the memory models on this GPU.

  sizes  new configurations, cuDNN's sizes for them, and the error table of the model
  fit    `rnnadvisor fit --try`: the largest size must run, and cuDNN must ask for more than there is for the next one
  torch  PyTorch's own account of training steps against the model of them, where the Python that runs this has PyTorch

BIN_FOLDER has rnnadvisor, size_probe, size_errors and torch_errors. What was asked, answered and concluded is left in OUTPUT_FOLDER. Exit
status 1 when something is not as the models say, 77 without a GPU.
"""
import argparse
import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARGIN = 512 << 20  # left free by every forecast

# From a few MiB to all that is free; algorithms, types, directions and both parameters.
FITS = [
    ["--memory", "200MiB", "--hidden-size", "256", "--seq-length", "50"],
    ["--memory", "3GiB", "--cell", "gru", "--hidden-size", "1000", "--num-layers", "3", "--largest", "length"],
    ["--memory", "8GiB", "--hidden-size", "1024", "--data-type", "half", "--math-type", "tensor_op", "--algo", "persist_static"],
    ["--memory", "8GiB", "--hidden-size", "1024", "--data-type", "half", "--mode", "inference", "--largest", "length"],
    ["--memory", "5GiB", "--cell", "rnn_relu", "--hidden-size", "700", "--direction", "bidirectional", "--num-layers", "2"],
    ["--memory", "6GiB", "--hidden-size", "512", "--math-type", "tensor_op_allow_conversion", "--num-layers", "2"],
    ["--memory", "4GiB", "--cell", "rnn_tanh", "--hidden-size", "300", "--num-layers", "8", "--seq-length", "100"],
    ["--memory", "4GiB", "--hidden-size", "600", "--proj-size", "200", "--num-layers", "2", "--dropout", "0.3"],
    ["--hidden-size", "2048", "--seq-length", "200"],
    ["--hidden-size", "1024", "--batch-size", "512", "--data-type", "bfloat16", "--num-layers", "2", "--largest", "length"],
]


def run(command, output):
    with open(output, "w") as out:
        return subprocess.run(command, stdout=out).returncode


def sizes(options):
    asked, answers = options.output / "sizes-asked.jsonl", options.output / "sizes.jsonl"
    writer = [sys.executable, HERE / "write_configurations.py", "--seed", str(options.seed), "--count", str(options.count)]
    if run(writer, asked) != 0 or subprocess.run([options.bin / "size_probe", asked, answers]).returncode != 0:
        return ["the sizes could not be asked for"]
    status = run([options.bin / "size_errors", answers], options.output / "sizes.md")
    print((options.output / "sizes.md").read_text())
    return [] if status == 0 else ["sizes: cuDNN's answers are not the model's"]


def fit(options):
    problems, results = [], []
    for arguments in FITS:
        command = [str(options.bin / "rnnadvisor"), "fit", "--cell", "lstm"] + arguments + ["--try", "--json", "--quiet"]
        if "--cell" in arguments:
            del command[2:4]
        ran = subprocess.run(command, capture_output=True, text=True)
        name = " ".join(arguments)
        if not ran.stdout:
            problems.append(f"fit {name}: status {ran.returncode}: {ran.stderr.strip()}")
            continue
        trial = json.loads(ran.stdout)["fits"][0]["trial"]
        results.append({"arguments": arguments, "status": ran.returncode, **trial})
        wrong = []
        if trial["outcome"] != "completed":
            wrong.append(f"{trial['outcome']} {trial['message']}")
        else:
            if trial["cudnn_bytes"] > trial["room_bytes"]:
                wrong.append("what was run needs more than there was")
            if trial["next_cudnn_bytes"] is not None and trial["next_cudnn_bytes"] <= trial["room_bytes"]:
                wrong.append("the next size would have fitted")
            # The run counts the lengths too, and cuDNN's own dropout states not.
            if abs(trial["size"] - trial["predicted"]) > max(1, 0.002 * trial["size"]):
                wrong.append(f"the model said {trial['predicted']}, cuDNN {trial['size']}")
            if trial["used_bytes"] is not None and trial["used_bytes"] > trial["cudnn_bytes"] + MARGIN:
                wrong.append("more was used than forecast and margin")
        print(f"fit {name}: {trial['size']} {'; '.join(wrong) or 'as the model says'}")
        problems += [f"fit {name}: {each}" for each in wrong]
    (options.output / "fit.json").write_text(json.dumps(results, indent=1) + "\n")
    return problems


def torch(options):
    if importlib.util.find_spec("torch") is None:
        print("torch: this Python has no PyTorch, NOT RUN")
        return []
    measured = options.output / "torch.jsonl"
    measure = [sys.executable, HERE / "torch_peak.py", measured, "--seed", str(options.seed), "--count", str(options.torch_count)]
    if subprocess.run(measure).returncode != 0:
        return ["torch: nothing could be measured"]
    status = run([options.bin / "torch_errors", measured], options.output / "torch.md")
    print((options.output / "torch.md").read_text())
    return [] if status == 0 else ["torch: the 95th percentile of the error is above 3 %"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=6000)
    parser.add_argument("--torch-count", type=int, default=60)
    parser.add_argument("--only", default="sizes,fit,torch")
    options = parser.parse_args()
    if not shutil.which("nvidia-smi") or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode != 0:
        print("NEEDS A GPU, NOT RUN: there is no NVIDIA GPU here")
        return 77
    options.output.mkdir(parents=True, exist_ok=True)
    parts = {"sizes": sizes, "fit": fit, "torch": torch}
    problems = []
    for name in options.only.split(","):
        if name not in parts:
            parser.error(f"--only {name}: there are {', '.join(parts)}")
        problems += parts[name](options)
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
