"""check(): the recurrent layers of a model, judged by the command."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

from ._findings import Findings, spell
from ._layers import Configuration, Found, read_model
from ._program import Answer, RnnadvisorError, run


def check(
    model: Any,
    batch_size: Optional[int] = None,
    seq_length: Optional[int] = None,
    *,
    seq_lengths: Optional[Sequence[int]] = None,
    device: Optional[str] = None,
    autocast: Optional[Any] = None,
    configuration: Optional[Mapping[str, Any]] = None,
    framework: Optional[Mapping[str, Any]] = None,
) -> Findings:
    """Says of each recurrent layer of a model what cuDNN would do with it and what to change. Nothing is run.

    model: a model or layer of PyTorch (nn.LSTM, nn.GRU, nn.RNN), Keras or Flax. Sizes, types and modes are read from it,
        and settings such as TF32, determinism and autocast from this process.
    batch_size, seq_length: of the input, which a model does not know. Without them the command assumes some and says so.
    seq_lengths: of the sequences of a batch of different lengths (PyTorch: a PackedSequence).
    device: the GPU to judge for: a name such as "a100", or a TOML description. Default: the GPU of this process.
    autocast: "float16", "bfloat16" (or a torch.dtype) where the program runs the model under autocast, else "off".
    configuration, framework: keys of docs/configuration.md that come before what was read.
    """
    found = read_model(model, autocast)
    keys: Configuration = {"batch_size": batch_size, "seq_length": seq_length}
    of_program: Configuration = {}
    if seq_lengths is not None:
        keys["seq_lengths"] = list(seq_lengths)
        if found.framework == "PyTorch":
            of_program["packed_sequence"] = True
    keys = {key: value for key, value in {**keys, **(configuration or {})}.items() if value is not None}
    of_program.update(framework or {})
    if not found.configurations and not found.keras_file:
        raise RnnadvisorError("\n".join([f"this {found.framework} model has no recurrent layer that can be judged", *found.notes]))
    chosen = choose_device(device, found)
    options = ["--fail-on", "never", *(["--device", chosen] if chosen is not None else [])]
    if found.keras_file:
        return judge(found, [*options, *flags(keys, of_program)], "", chosen is None)
    lines = [{**each, **keys, "framework": {**each["framework"], **of_program}} for each in found.configurations]
    return judge(found, options, "".join(json.dumps(line) + "\n" for line in lines), chosen is None)


def judge(found: Found, options: Sequence[str], stdin: str, live: bool) -> Findings:
    def ask(format: str) -> Answer:
        if not found.keras_file:
            return run(["check", "-", *options, "--format", format], stdin)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.keras"
            file.write_bytes(found.keras_file)
            answer = run(["check", str(file), *options, "--format", format])
        return Answer(answer.text, [remark.replace(f"{file}: ", "") for remark in answer.remarks])

    answer = ask("json")
    data = json.loads(answer.text)
    if live and not all(each["live"] for each in data["devices"]):
        raise no_device("the command cannot see the GPU of this process")
    return Findings(data, [*found.notes, *answer.remarks], lambda format: ask(format).text)


def flags(keys: Mapping[str, Any], of_program: Mapping[str, Any]) -> list[str]:
    words = []
    for key, value in [*keys.items(), *((f"framework.{key}", value) for key, value in of_program.items())]:
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else spell(value)
        words += [f"--{key.replace('_', '-')}", text]
    return words


def choose_device(device: Optional[str], found: Found) -> Optional[str]:
    """None: the GPU that the command finds by itself, which is this process's first."""
    if device is not None:
        return device
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_available():
        number = found.on_gpu if found.on_gpu is not None else torch.cuda.current_device()
        return None if number == 0 else str(torch.cuda.get_device_name(number))
    if jax is not None and hasattr(jax, "devices") and jax.devices()[0].platform == "gpu":
        return None
    raise no_device("this process has no GPU")


def no_device(why: str) -> ValueError:
    return ValueError(f"{why}: say for which one to judge, for example check(…, device='a100'). `rnnadvisor check --help-all` describes --device")
