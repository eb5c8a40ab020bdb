"""Where it is measured: versions, the device, its clocks."""
import os
import shutil
import subprocess
import sys

from .problem import ENVIRONMENT, Problem

FLAGS = ("enabled", "benchmark", "deterministic", "allow_tf32")


def import_torch():
    try:
        import torch
    except Exception as error:  # a broken installation raises what it likes
        raise Problem("PyTorch cannot be imported: {}: {}".format(type(error).__name__, error), sys.executable,
                      "name the interpreter of the program that was profiled, in which `import torch` works", ENVIRONMENT)
    numbers = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    if numbers < (1, 13):
        raise Problem("PyTorch {} is older than 1.13".format(torch.__version__), sys.executable, "use PyTorch 1.13 or later", ENVIRONMENT)
    return torch


def check_device(torch, device):
    if device == "cpu":
        return
    index = int(device[5:])
    if not torch.cuda.is_available():
        raise Problem("PyTorch {} sees no CUDA device".format(torch.__version__), device,
                      "install a CUDA build of PyTorch and a driver for it, or measure on the CPU with \"device\": \"cpu\"", ENVIRONMENT)
    if index >= torch.cuda.device_count():
        raise Problem("there is no device {}: PyTorch sees {}".format(index, torch.cuda.device_count()), device,
                      "choose one of 0 to {}; CUDA_VISIBLE_DEVICES is {!r}".format(torch.cuda.device_count() - 1, os.environ.get("CUDA_VISIBLE_DEVICES")), ENVIRONMENT)


def flags(torch):
    """torch.backends.cudnn's flags. None where PyTorch does not say: since 2.9 the TF32 flag can be set in ways it cannot name."""
    found = {}
    for name in FLAGS:
        try:
            found[name] = bool(getattr(torch.backends.cudnn, name))
        except RuntimeError:
            found[name] = None
    return found


def set_flags(torch, wanted):
    for name, value in wanted.items():
        if value is not None:
            setattr(torch.backends.cudnn, name, value)


def clocks(torch, device):
    """Clocks, temperature, power and what keeps the clocks down (bits of NVML's event reasons) now, from nvidia-smi; {"unknown": why} where it cannot be asked."""
    if device == "cpu":
        return {"unknown": "measured on the CPU"}
    program = shutil.which("nvidia-smi")
    if not program:
        return {"unknown": "nvidia-smi is not on the path"}
    properties = torch.cuda.get_device_properties(device)
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    index = int(device[5:])
    if getattr(properties, "uuid", None):
        which = "GPU-{}".format(str(properties.uuid).replace("GPU-", ""))
    elif visible != [""] and index < len(visible):
        which = visible[index].strip()
    else:
        which = str(index)
    keys = ["clocks.sm", "clocks.mem", "temperature.gpu", "power.draw"]
    names = ("sm_mhz", "memory_mhz", "celsius", "watts")
    try:
        # Why clocks are not higher has another name before driver 535; nvidia-smi refuses all of a query with a name it does not know.
        for reasons in (["clocks_event_reasons.active"], ["clocks_throttle_reasons.active"], []):
            done = subprocess.run([program, "-i", which, "--query-gpu=" + ",".join(keys + reasons), "--format=csv,noheader,nounits"],
                                  capture_output=True, text=True, timeout=5, stdin=subprocess.DEVNULL)
            if not done.returncode or "not a valid field" not in done.stdout + done.stderr:
                break
        if done.returncode:
            return {"unknown": "nvidia-smi: " + (done.stdout + done.stderr).strip().splitlines()[-1][:200]}
        values = [value.strip() for value in done.stdout.strip().splitlines()[0].split(",")]
    except (OSError, subprocess.SubprocessError, IndexError) as error:
        return {"unknown": "nvidia-smi: {}".format(error)}
    found = {"event_reasons": None}
    try:
        found["event_reasons"] = int(values[len(keys)], 16)  # "0x0000000000000004"
    except (IndexError, ValueError):
        pass
    for name, value in zip(names, values):
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = None
    return found


def describe(torch, device):
    line = {"type": "environment", "python": "{}.{}.{}".format(*sys.version_info[:3]), "executable": sys.executable, "torch": torch.__version__,
            "cuda": torch.version.cuda, "device": device, "flags_found": flags(torch), "time": "CPU" if device == "cpu" else "GPU",
            "threads": torch.get_num_threads(), "cudnn": None, "name": None, "compute_capability": None, "multiprocessors": None}
    if device != "cpu":
        properties = torch.cuda.get_device_properties(device)
        line.update(cudnn=torch.backends.cudnn.version(), name=properties.name, multiprocessors=properties.multi_processor_count,
                    compute_capability="{}.{}".format(properties.major, properties.minor), memory_bytes=properties.total_memory)
    line["clocks"] = clocks(torch, device)
    return line
