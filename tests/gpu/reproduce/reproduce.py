"""Recorded calls, made again on this machine's GPU: one JSON with what was recorded and what was found.

  python3 reproduce.py RNNADVISOR OUTPUT.json [--python PYTHON_WITH_TORCH] [--repeats N] PROFILE:call:N | PROFILE:configuration:N ...

Without calls a list of eight: sizes, types, layouts, algorithms and a refusal, from the recorded samples. Exit status: 0 all ran as they
were recorded (success or the same failure), 1 one did not, 77 there is no GPU or no compiler."""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

CALLS = ["sample:programs/pytorch-tagger:call:0", "sample:programs/pytorch-speech-encoder:call:2", "sample:programs/pytorch-projection:call:1",
         "sample:programs/pytorch-gru:call:2", "sample:programs/cpp-lstm:call:2", "sample:programs/jax-lstm:call:1", "sample:gnmt:configuration:1",
         "sample:planted-failures:configuration:1"]
TIME = re.compile(r"^(\w+): median ([\d.]+) ms, range ([\d.]+) to ([\d.]+) \((\d+) repeats\)(?:; recorded ([\d.]+) ms)?$", re.M)


def run(command, seconds=100, **options):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, **options)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return 124, "timed out"
    except OSError as error:
        return 127, str(error)


def folders(pattern_include, pattern_library):
    """Of headers and libraries: the usual places, the toolkit that is on PATH, and the packages of pip."""
    roots = [os.environ.get("CUDA_HOME", ""), "/usr/local/cuda", "/usr"] + sorted(glob.glob("/usr/local/cuda-*"))
    roots += glob.glob(os.path.join(sys.prefix, "lib/python3*/site-packages/nvidia/*")) + glob.glob("/opt/*/.venv/lib/python3*/site-packages/nvidia/*")
    includes = [os.path.join(r, "include") for r in roots if glob.glob(os.path.join(r, "include", pattern_include))]
    libraries = [os.path.join(r, l) for r in roots for l in ("lib64", "lib", "lib/x86_64-linux-gnu", "targets/x86_64-linux/lib")
                 if glob.glob(os.path.join(r, l, pattern_library))]
    return includes, libraries


def library(name, directories):
    for directory in directories:
        for path in sorted(glob.glob(os.path.join(directory, f"lib{name}.so*"))):
            return path
    return f"-l{name}"


def compile_command(source, program):
    cudnn_include, cudnn_library = folders("cudnn.h", "libcudnn.so*")
    cuda_include, cuda_library = folders("cuda_runtime_api.h", "libcudart.so*")
    command = ["g++", "-std=c++17", "-O2", source, "-o", program]
    command += [f"-I{each}" for each in cudnn_include[:1] + cuda_include[:1] if each != "/usr/include"]
    for name, found in (("cudnn", cudnn_library), ("cudart", cuda_library)):
        command += [library(name, found)] + [f"-Wl,-rpath,{each}" for each in found[:1]]
    return command


def read(output):
    times = [{"phase": phase, "median_ms": float(median), "low_ms": float(low), "high_ms": float(high), "repeats": int(repeats),
              "recorded_ms": float(recorded) if recorded else None} for phase, median, low, high, repeats, recorded in TIME.findall(output)]
    status = re.search(r"^status: (.*)$", output, re.M)
    recorded = re.search(r"^recorded: (.*)$", output, re.M)
    machine = re.search(r"^GPU: (.*)$", output, re.M)
    return {"machine": machine and machine[1], "times": times, "status": status and status[1], "recorded_status": recorded and recorded[1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rnnadvisor")
    parser.add_argument("output")
    parser.add_argument("calls", nargs="*")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--repeats", type=int, default=20)
    options = parser.parse_args()
    begin = time.time()
    status, gpu = run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"])
    if status != 0 or not shutil.which("g++"):
        print("NEEDS A GPU AND g++, NOT RUN")
        return 77
    has_torch = run([options.python, "-c", "import torch; assert torch.cuda.is_available()"])[0] == 0
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(options.calls or CALLS):
            profile, kind, index = name.rsplit(":", 2)
            place = os.path.join(folder, str(number))
            status, said = run([options.rnnadvisor, "reproduce", profile, f"--{kind}", index, "-o", place])
            no_script = re.search(r"no PyTorch script: (.*)", said)
            results.append({"call": name, "written": status == 0, "said": "" if status == 0 else said, "place": place,
                            "no_pytorch": no_script and no_script[1]})

        def build(result):
            for source in glob.glob(result["place"] + "/*.cpp"):
                return run(compile_command(source, source[:-4]))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            for result, (status, said) in zip(results, pool.map(lambda r: build(r) or (1, r["said"]), results)):
                result["compiled"], result["said"] = status == 0, said if status else ""
        # One at a time: they are timed.
        for result in results:
            for source in glob.glob(result["place"] + "/*.cpp") if result["compiled"] else []:
                status, said = run([source[:-4], str(options.repeats)])
                result["cpp"] = dict(read(said), exit_status=status, output=said if status else "")
            for source in glob.glob(result["place"] + "/*.py") if has_torch else []:
                status, said = run([options.python, source, str(options.repeats)])
                result["pytorch"] = dict(read(said), exit_status=status, output=said if status else "")
            del result["place"]

    def as_recorded(result):
        runs = [result[key] for key in ("cpp", "pytorch") if key in result]
        failure = result.get("cpp", {}).get("recorded_status") or ""
        return bool("cpp" in result and all(r["exit_status"] == 0 or failure.endswith("the same status") for r in runs))

    for result in results:
        result["as_recorded"] = as_recorded(result)
        for key in ("cpp", "pytorch"):
            for each in result.get(key, {}).get("times", []):
                print(f"{result['call']} {key} {each['phase']}: {each['median_ms']:.4f} ms, recorded {each['recorded_ms']}")
        if not result["as_recorded"]:
            print(f"{result['call']}: NOT AS RECORDED: {result.get('cpp', {}).get('status') or result['said'][-400:]}")
    document = {"gpu": gpu.strip(), "torch": has_torch, "seconds": round(time.time() - begin, 1), "repeats": options.repeats, "calls": results}
    with open(options.output, "w") as file:
        json.dump(document, file, indent=1)
    return 0 if all(result["as_recorded"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
