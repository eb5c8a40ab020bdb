"""accelerate(): which layers become which module. What the modules compute is compared in tests/gpu/python, with PyTorch."""

import logging
import sys
import types

import pytest

import rnnadvisor
from fake_torch import Module, Recurrent
from rnnadvisor._accelerate import _scripts


class LSTM(Recurrent):
    pass


class GRU(Recurrent):
    def __init__(self, **more):
        super().__init__("GRU", **more)


class RNN(Recurrent):
    pass


class Own(LSTM):
    pass


@pytest.fixture(autouse=True)
def torch(monkeypatch):
    """As much of PyTorch as the modules that are written need to be compiled."""
    names = ["torch", "torch.nn", "torch.nn.utils", "torch.nn.utils.rnn"]
    made = {name: types.ModuleType(name) for name in names}
    made["torch"].nn = made["torch.nn"]
    made["torch"].__version__ = "2.11.0"
    made["torch.nn"].LSTM, made["torch.nn"].GRU, made["torch.nn"].RNN = LSTM, GRU, RNN
    made["torch.nn.utils.rnn"].PackedSequence = tuple
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    return made["torch"]


def half(kind, **more):
    return kind(dtype="torch.float16", **{"input_size": 512, "hidden_size": 512, **more})


def model():
    return Module(stack=half(LSTM, num_layers=2), narrow=half(LSTM, hidden_size=160, input_size=160), good=half(LSTM), own=half(Own, num_layers=2))


def accelerate(given, allow=None, **more):
    return rnnadvisor.accelerate(given, allow, batch_size=32, seq_length=128, device="nvidia-h200", compare=False, **more)


def test_exact_changes_alone_unless_others_are_allowed(caplog):
    given = model()
    parameters = {name: dict(vars(child)) for name, child in given.children.items()}
    with caplog.at_level(logging.INFO, "rnnadvisor"):
        assert accelerate(given) is given
    done = rnnadvisor.accelerated(given)
    assert caplog.messages == [str(done)]
    assert [layer.name for layer in done] == ["stack", "narrow", "good", "own"]
    assert [layer.name for layer in done.replaced] == ["stack"]
    assert type(given.children["stack"]).__name__ == "SplitLayersLSTM" and isinstance(given.children["stack"], LSTM)
    assert type(given.children["narrow"]) is LSTM and type(given.children["own"]) is Own
    # The same objects with the same parameters.
    assert {name: dict(vars(child)) for name, child in given.children.items()} == parameters
    assert "allow='padded'" in done["narrow"].reason
    assert "no module is advised" in done["good"].reason
    assert "Own" in done["own"].reason
    text = str(done)
    assert text.startswith("1 of 4 recurrent layers replaced") and all(str(layer) in text for layer in done)

    accelerate(given, allow="padded")
    done = rnnadvisor.accelerated(given)
    assert [layer.name for layer in done.replaced] == ["narrow"]  # that of the stack is of another class now
    assert "128" in done["narrow"].code
    with pytest.raises(KeyError, match="stack, narrow"):
        done["lstm"]
    with pytest.raises(KeyError, match="was not called"):
        rnnadvisor.accelerated(model())


def test_the_module_is_the_one_that_is_measured():
    given = model()
    accelerate(given)
    emit, plan, request = _scripts("emit"), _scripts("plan"), _scripts("request")
    call = request.Call({"cell": "lstm", "data_type": "half", "num_layers": 2, "hidden_size": 512, "seq_length": 128, "batch_size": 32})
    assert rnnadvisor.accelerated(given)["stack"].code == emit.module_text(plan.make_plan(call, [("split_layers", {})]), call)


@pytest.mark.parametrize("allow", ["everything", ["padded", "model"], "exact,speed"])
def test_what_may_be_allowed(allow):
    with pytest.raises(ValueError, match="'exact', 'padded', 'numerics'"):
        accelerate(model(), allow)


def test_one_layer_and_what_is_none():
    layer = half(LSTM, num_layers=2)
    assert accelerate(layer) is layer and type(layer) is not LSTM
    compiled = Module(_orig_mod=half(LSTM, num_layers=2))
    accelerate(compiled)
    assert "before torch.compile()" in str(rnnadvisor.accelerated(compiled))
    with pytest.raises(TypeError, match="takes a model of PyTorch"):
        accelerate(object())


def test_results_that_move_keep_the_layer(monkeypatch):
    import rnnadvisor._accelerate as ours

    for error, replaced in ((1e-6, True), (0.5, False), (float("nan"), False)):
        monkeypatch.setattr(ours, "_error", lambda module, kind, call: error)
        given = half(LSTM, num_layers=2)
        rnnadvisor.accelerate(given, batch_size=32, seq_length=128, device="nvidia-h200")
        (layer,) = rnnadvisor.accelerated(given)
        assert bool(layer.change) == (type(given) is not LSTM) == replaced
        assert ("1.0e-06" in str(layer)) if replaced else ("results differ" in layer.reason)
