"""accelerate(): a model whose recurrent layers run as the modules that `rnnadvisor` advises, measures and writes.

Which change a layer gets is the command's advice (check()); the code of the modules is that of advisor/whatif/torch, which
`advise --verify --torch` and `try` measure, and so is the comparison of results.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, field
from importlib import import_module, util
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union
from weakref import WeakKeyDictionary

from ._check import check
from ._findings import Finding, Layer

MEANINGS = ("exact", "padded", "numerics")  # what a change may do to results, the mildest first
logger = logging.getLogger("rnnadvisor")


@dataclass(frozen=True)
class Replacement:
    """What became of one recurrent layer."""

    name: str  # its path in the model
    summary: str
    change: str  # in words; empty: it was left alone
    gain: str  # of the change, as advised
    error: Optional[float]  # relative, of outputs and gradients on random input; None: not compared
    reason: str  # why it was left alone
    code: str = field(repr=False)  # the module that it is now

    def __str__(self) -> str:
        if not self.change:
            return f"{self.name} ({self.summary}) is as it was: {self.reason}"
        compared = "not compared" if self.error is None else f"outputs and gradients moved by {self.error:.1e}"
        return f"{self.name} ({self.summary}): {self.change}{f', {self.gain}' if self.gain else ''}; {compared}"


class Acceleration:
    """What accelerate() did with the recurrent layers of a model."""

    def __init__(self, layers: Sequence[Replacement], notes: Sequence[str]) -> None:
        self.layers = list(layers)
        self.notes = list(notes)

    @property
    def replaced(self) -> List[Replacement]:
        return [layer for layer in self.layers if layer.change]

    def __iter__(self) -> Iterator[Replacement]:
        return iter(self.layers)

    def __getitem__(self, name: str) -> Replacement:
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(f"there is no layer '{name}'; there are: {', '.join(layer.name for layer in self.layers)}")

    def __str__(self) -> str:
        count = f"{len(self.replaced)} of {len(self.layers)} recurrent layers replaced"
        return "\n".join([count, *map(str, self.layers), *(f"Note: {note}" for note in self.notes)])


_accelerated: "WeakKeyDictionary[Any, Acceleration]" = WeakKeyDictionary()


def accelerate(
    model: Any,
    allow: Union[str, Iterable[str], None] = None,
    *,
    batch_size: Optional[int] = None,
    seq_length: Optional[int] = None,
    device: Optional[str] = None,
    autocast: Optional[Any] = None,
    configuration: Optional[Mapping[str, Any]] = None,
    framework: Optional[Mapping[str, Any]] = None,
    compare: bool = True,
) -> Any:
    """Returns the model of PyTorch with its nn.LSTM, nn.GRU and nn.RNN replaced where that is exact and expected to be faster.

    The layers stay the same objects with the same parameters, so that state_dict(), optimizers and hooks stay valid; only
    their class and what forward() does are others. What was replaced, and why the others were not, is logged
    ("rnnadvisor", level INFO) and accelerated(model).

    allow: also changes that are not exact: "padded" (zeros are added and cut off again, results differ by rounding) or
        "numerics" (other rounding), or both.
    batch_size, seq_length, device, autocast, configuration, framework: as for check().
    compare: run each layer both ways on random input and keep it as it was where outputs or gradients move.
    """
    allowed = _allowed(allow)
    if not hasattr(model, "named_modules") or "torch" not in sys.modules:
        raise TypeError(f"accelerate() takes a model of PyTorch, not {type(model).__module__}.{type(model).__qualname__}")
    advice = check(
        model, batch_size, seq_length, device=device, autocast=autocast, configuration=configuration, framework=framework
    )
    modules = {name or type(model).__name__: module for name, module in model.named_modules()}
    layers = [_replace(modules.get(layer.name), layer, allowed, compare) for layer in advice.layers]
    done = Acceleration(layers, [*advice.notes, *([advice.assumption] if advice.assumption else [])])
    _accelerated[model] = done
    logger.info("%s", done)
    return model


def accelerated(model: Any) -> Acceleration:
    """What accelerate() did with this model."""
    if model not in _accelerated:
        raise KeyError("accelerate() was not called with this model")
    return _accelerated[model]


def _allowed(allow: Union[str, Iterable[str], None]) -> Tuple[str, ...]:
    words = [] if allow is None else [word.strip() for word in allow.split(",")] if isinstance(allow, str) else list(allow)
    for word in words:
        if word not in MEANINGS:
            raise ValueError(f"allow={word!r} is unknown: use {', '.join(map(repr, MEANINGS))}")
    return ("exact", *words)


def _scripts(name: str) -> Any:
    """A module of advisor/whatif/torch/rnnadvisor_torch: beside this file in the wheel, else in the source tree."""
    if "rnnadvisor._torch" not in sys.modules:
        here = Path(__file__).resolve()
        places = [here.with_name("_torch"), here.parents[2] / "advisor" / "whatif" / "torch" / "rnnadvisor_torch"]
        folder = next((place for place in places if (place / "emit.py").is_file()), places[0])
        spec = util.spec_from_file_location("rnnadvisor._torch", folder / "__init__.py", submodule_search_locations=[str(folder)])
        assert spec is not None and spec.loader is not None
        package = util.module_from_spec(spec)
        sys.modules["rnnadvisor._torch"] = package
        spec.loader.exec_module(package)
    return import_module(f"rnnadvisor._torch.{name}")


def _replace(module: Any, layer: Layer, allowed: Sequence[str], compare: bool) -> Replacement:
    def kept(reason: str) -> Replacement:
        return Replacement(layer.name, layer.summary, "", "", None, reason, "")

    if module is None or layer.framework.get("jit_compile"):
        return kept("the model is compiled; call accelerate() before torch.compile()")
    nn = sys.modules["torch"].nn
    if type(module) not in (nn.LSTM, nn.GRU, nn.RNN):
        return kept(f"its class is {type(module).__qualname__}, whose forward() may be another than that of nn.LSTM, nn.GRU and nn.RNN")
    refused: List[str] = []
    command = ""
    for finding, suggestion in _suggestions(layer):
        transforms = [suggestion["transform"], *suggestion["with"]]
        meaning = max((each["meaning"] for each in transforms), key=lambda word: (*MEANINGS, "model").index(word))
        if suggestion["effort"] == "command":
            command = "only `rnnadvisor accelerate -- PROGRAM`, which starts the whole program, makes it faster"
        if suggestion["effort"] == "command" or meaning == "model":
            continue
        change = str(suggestion["change"] or finding.title)
        if meaning not in allowed:
            refused.append(f"{change} needs allow={meaning!r}")
            continue
        try:
            kind, code, call, plan = _changed_class(layer, transforms)
        except _scripts("problem").NotApplicable as reason:
            refused.append(f"{change}: {reason.what}")
            continue
        error = _error(module, kind, call) if compare else None
        limit = _scripts("in_program").limit_of(call, plan)
        if error is not None and not error <= limit:
            refused.append(f"{change}: its results differ by {error:.1e}, and {limit:.1e} is the limit")
            continue
        object.__setattr__(module, "__class__", kind)
        gain = str(finding.gain) if finding.gain is not None and finding.gain.is_faster else ""
        return Replacement(layer.name, layer.summary, change, gain, error, "", code)
    return kept("; ".join(refused) or command or f"no module is advised for it. {layer.verdict}")


def _suggestions(layer: Layer) -> Iterator[Tuple[Finding, Mapping[str, Any]]]:
    for finding in layer.findings:
        for suggestion in finding.data["suggestions"] if finding.is_action else []:
            if suggestion["transform"] and not suggestion["refuted"] and not suggestion["cannot"]:
                yield finding, suggestion


def _changed_class(layer: Layer, transforms: Sequence[Mapping[str, Any]]) -> Tuple[Any, str, Any, Any]:
    problem, emit = _scripts("problem"), _scripts("emit")
    known = _scripts("request").Call.__init__.__globals__
    keys = (*known["WORDS"], *known["SIZES"], "dropout", "seq_lengths")
    config = layer.data["config"]
    program = {key: value for key, value in layer.framework.items() if key != "name"}
    given = {key: config[key] for key in keys if key in config and not (key == "seq_lengths" and not config[key])}
    call = _scripts("request").Call({**given, "framework": program})
    try:
        plan = _scripts("plan").make_plan(call, [(each["kind"], each["parameters"]) for each in transforms])
    except problem.Problem as mistake:
        raise problem.NotApplicable(mistake.what) from None
    if plan.settings or not plan.parts:
        raise problem.NotApplicable("it is code around the layer, which the program has to do itself")
    code = emit.module_text(plan, call)
    return emit.load_class(code, plan, call), code, call, plan


def _error(module: Any, kind: Any, call: Any) -> float:
    """How far outputs and gradients move, on random input of the size that was judged for."""
    torch = sys.modules["torch"]
    weight = module.weight_ih_l0
    shape = (call.batch_size, call.seq_length) if module.batch_first else (call.seq_length, call.batch_size)
    with torch.random.fork_rng([weight.device] if weight.device.type == "cuda" else []):
        x = torch.randn(*shape, module.input_size, device=weight.device, dtype=weight.dtype)
    if call.packed:
        x = torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor(call.seq_lengths), module.batch_first, enforce_sorted=False)
    in_program = _scripts("in_program")
    training = in_program.trains(torch, module)
    error, _ = in_program.Comparison(torch, module, (x,), {}, training).worst(kind, torch.backends.cudnn.allow_tf32)
    return float(error)
