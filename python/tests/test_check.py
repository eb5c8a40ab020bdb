"""check(): what is read of a model, and what the command says of it."""

import json
import subprocess
import sys
import types

import pytest

import rnnadvisor
from fake_torch import LSTMCell, Module, Recurrent
from rnnadvisor._layers import cudnn_version, read_model
from rnnadvisor._program import program


def model():
    return Module(encoder=Module(lstm=Recurrent(num_layers=2, dropout=0.1, batch_first=True)), decoder=Recurrent("GRU", dtype="torch.float16"))


def test_each_layer_has_findings_under_its_path():
    answer = rnnadvisor.check(model(), 32, 100, device="h200")
    assert [layer.name for layer in answer.layers] == ["encoder.lstm", "decoder"]
    encoder = answer["encoder.lstm"]
    given = {"cell": "lstm", "num_layers": 2, "batch_size": 32, "seq_length": 100, "data_type": "float", "mode": "training", "dropout": 0.1}
    assert given.items() <= dict(encoder.given).items()
    assert {"name": "pytorch", "batch_first": True, "needs_backward": True}.items() <= dict(encoder.framework).items()
    assert answer["decoder"].given["data_type"] == "half"
    assert sum(len(layer.findings) for layer in answer.layers) == len(answer.findings)
    with pytest.raises(KeyError, match="encoder.lstm"):
        answer["lstm"]


def test_findings_are_those_of_the_command(tmp_path):
    file = tmp_path / "network.toml"
    file.write_text(
        'cell = "lstm"\nhidden_size = 1000\ninput_size = 80\ndata_type = "half"\nbatch_size = 33\nseq_length = 100\nmode = "training"\n'
        'direction = "unidirectional"\nnum_layers = 1\ndropout = 0.0\n'
        '[framework]\nname = "pytorch"\nbatch_first = false\nmodule_training = true\nneeds_backward = true\n'
    )
    text = subprocess.run(
        [program(), "check", file, "--device", "a100", "-f", "json", "--fail-on", "never"], capture_output=True, text=True, check=True
    ).stdout
    command = json.loads(text)
    ours = rnnadvisor.check(Recurrent(dtype="torch.float16"), 33, 100, device="a100")
    assert [finding.rule for finding in ours] == [finding["rule"] for finding in command["findings"]]
    assert [finding.message for finding in ours] == [finding["message"] for finding in command["findings"]]
    assert ours.layers[0].verdict == command["configurations"][0]["verdict"]


def test_fixes_have_code_and_say_whose_finding_they_are():
    answer = rnnadvisor.check(Recurrent(dtype="torch.float16"), 33, 100, device="h200")
    fix = next(fix for fix in answer.fixes if fix.rule == "pytorch/hidden-multiple-of-128")
    assert "1024" in fix.code and fix.framework == "pytorch"
    gain = next(finding.gain for finding in answer if finding.rule == fix.rule)
    assert gain.low <= gain.speedup <= gain.high


def test_text_and_html_have_every_action_and_escape():
    layer = Recurrent(dtype="torch.float16")
    answer = rnnadvisor.check(Module(**{"<b>": layer}), 33, 100, device="a100")
    text, page = str(answer), answer._repr_html_()
    for finding in answer.actions:
        assert finding.message in text
        assert finding.rule in page
    assert answer.assumption in text
    assert "<b>:" in text and "&lt;b&gt;" in page and "<code><b>" not in page
    assert answer.write("markdown").startswith("#")


def test_what_no_model_knows_is_assumed_and_said():
    answer = rnnadvisor.check(Recurrent(), device="h200")
    assert "batch_size" in answer.assumption and "seq_length" in answer.assumption
    assert "batch_size" not in rnnadvisor.check(Recurrent(), 32, 100, device="h200").assumption


def test_evaluation_autocast_and_lengths():
    layer = Recurrent()
    layer.training = False
    assert rnnadvisor.check(layer, 32, 100, device="h200").layers[0].given["mode"] == "inference"
    under = rnnadvisor.check(Recurrent(), 32, 100, device="h200", autocast="float16").layers[0]
    assert under.framework["autocast"] == "float16" and "data_type" not in under.given
    packed = rnnadvisor.check(Recurrent(), seq_lengths=[9, 7, 7], device="h200").layers[0]
    assert packed.framework["packed_sequence"] and packed.data["config"]["layout"] == "seq_major_packed"
    assert packed.data["config"]["seq_lengths"] == [9, 7, 7]


def test_nothing_that_was_read_is_ignored():
    """What PyTorch decides by itself is not given as if it were a choice: the command would call it ignored."""
    for layer in (Recurrent(bias=False), Recurrent("GRU", batch_first=True, bidirectional=True), Recurrent("RNN_RELU", num_layers=3, dropout=0.5)):
        for more in ({}, {"autocast": "float16"}, {"seq_lengths": [9, 7]}):
            assert "descriptor/ignored-keys" not in [finding.rule for finding in rnnadvisor.check(layer, device="h200", **more)]


def test_keys_that_are_given_come_before_those_read():
    layer = rnnadvisor.check(Recurrent(), 32, 100, device="h200", configuration={"dropout": 0.5}, framework={"version": "2.0"}).layers[0]
    assert layer.given["dropout"] == 0.5 and layer.framework["version"] == "2.0"


def test_cells_and_quantized_layers_are_named_and_not_judged():
    quantized = Recurrent()
    del quantized.weight_ih_l0
    answer = rnnadvisor.check(Module(cell=LSTMCell(), small=quantized, lstm=Recurrent()), 32, 100, device="h200")
    assert [layer.name for layer in answer.layers] == ["lstm"]
    assert any("'cell'" in note for note in answer.notes) and any("'small'" in note for note in answer.notes)
    with pytest.raises(rnnadvisor.RnnadvisorError, match="'cell'"):
        rnnadvisor.check(Module(cell=LSTMCell()), device="h200")


def test_a_compiled_model_keeps_its_paths():
    compiled = Module(_orig_mod=Module(lstm=Recurrent()))
    compiled._orig_mod = compiled.children["_orig_mod"]
    configuration = read_model(compiled).configurations[0]
    assert configuration["id"] == "lstm" and configuration["framework"]["jit_compile"]


def test_the_device_is_asked_for_where_there_is_no_gpu(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(ValueError, match="device='a100'"):
        rnnadvisor.check(Recurrent(), 32, 100)
    with pytest.raises(rnnadvisor.RnnadvisorError, match="known devices"):
        rnnadvisor.check(Recurrent(), 32, 100, device="no-such-gpu")


def test_a_gpu_of_the_process_that_the_command_does_not_see_is_no_guess(monkeypatch):
    cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0)
    monkeypatch.setitem(sys.modules, "torch", types.SimpleNamespace(cuda=cuda))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    with pytest.raises(ValueError, match="cannot see"):
        rnnadvisor.check(Recurrent(), 32, 100)


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="builtins.int"):
        rnnadvisor.check(3, device="h200")
    with pytest.raises(rnnadvisor.RnnadvisorError, match="no recurrent layer"):
        rnnadvisor.check(Module(), device="h200")


def test_a_wrong_key_is_the_commands_error():
    with pytest.raises(rnnadvisor.RnnadvisorError, match="did you mean"):
        rnnadvisor.check(Recurrent(), device="h200", configuration={"hiden_size": 3})


@pytest.mark.parametrize("number, text", [(91900, "9.19.0"), (90100, "9.1.0"), (8902, "8.9.2"), (0, None), (None, None)])
def test_versions_of_cudnn(number, text):
    assert cudnn_version(number) == text


def test_settings_of_the_process(monkeypatch):
    cudnn = types.SimpleNamespace(enabled=True, allow_tf32=False, deterministic=True, version=lambda: 91900)
    torch = types.SimpleNamespace(
        __version__="2.11.0+cu130",
        backends=types.SimpleNamespace(cudnn=cudnn),
        is_grad_enabled=lambda: False,
        is_autocast_enabled=lambda: True,
        get_autocast_gpu_dtype=lambda: "torch.bfloat16",
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    assert read_model(Recurrent()).configurations[0]["framework"] == {
        "name": "pytorch",
        "version": "2.11.0",
        "cudnn_enabled": True,
        "allow_tf32": False,
        "deterministic": True,
        "cublas_workspace_set": True,
        "cudnn_version": "9.19.0",
        "no_grad": True,
        "autocast": "bfloat16",
        "batch_first": False,
        "module_training": True,
        "needs_backward": False,
    }
    cudnn.rnn = types.SimpleNamespace(fp32_precision="tf32")  # PyTorch 2.9
    torch.get_autocast_dtype = {"cuda": "torch.float16"}.get  # PyTorch 2.4
    newer = read_model(Recurrent()).configurations[0]["framework"]
    assert newer["allow_tf32"] is True and newer["autocast"] == "float16"


# ---- Keras, by configurations that Keras would write; Flax, by stand-ins for its modules


class KerasModel:
    def __init__(self, description):
        self.description = description

    def get_config(self):
        return self.description["config"]

    def to_json(self):
        return json.dumps(self.description)


KerasModel.__module__ = "keras.src.models.functional"


def test_keras_models_are_read_as_their_files_are(keras_file, monkeypatch):
    import zipfile

    with zipfile.ZipFile(keras_file) as file:
        description = json.loads(file.read("config.json"))
        version = json.loads(file.read("metadata.json"))["keras_version"]
    monkeypatch.setitem(sys.modules, "keras", types.SimpleNamespace(__version__=version))
    text = subprocess.run(
        [program(), "check", keras_file, "--device", "a100", "--batch-size", "16", "-f", "json", "--fail-on", "never"],
        capture_output=True, text=True, check=True,
    ).stdout
    answer = rnnadvisor.check(KerasModel(description), 16, device="a100")
    command = json.loads(text)
    assert [layer.name for layer in answer.layers] == [each["config"]["id"] for each in command["configurations"]]
    assert [finding.rule for finding in answer] == [finding["rule"] for finding in command["findings"]]
    assert any("Bidirectional calls two layers" in note for note in answer.notes)
    assert "keras" in answer.write("text").lower()


def test_a_keras_layer_alone(keras_file, monkeypatch):
    class LSTM:
        def get_config(self):
            return {"name": "lstm", "units": 64, "activation": "tanh", "recurrent_activation": "sigmoid", "dtype": "float32", "unroll": True}

        def get_build_config(self):
            return {"input_shape": [None, 100, 40]}

    LSTM.__module__ = "keras.src.layers.rnn.lstm"
    answer = rnnadvisor.check(LSTM(), 16, device="a100", framework={"backend": "torch", "use_cudnn": "auto"})
    layer = answer["lstm"]
    assert layer.given["input_size"] == 40 and layer.framework["unroll"] is True and layer.framework["backend"] == "torch"


def flax(kind, **fields):
    return type(kind, (), {"__module__": "flax.linen.recurrent", **fields})()


def test_flax_layers_never_call_cudnn():
    rnn = flax("RNN", cell=flax("OptimizedLSTMCell", features=256, dtype=None, param_dtype="float32"))
    answer = rnnadvisor.check(rnn, 16, 100, device="a100", configuration={"input_size": 64})
    assert not answer.layers[0].data["calls_cudnn"]
    assert {"cell": "lstm", "hidden_size": 256, "input_size": 64}.items() <= dict(answer.layers[0].given).items()
    nested = flax("Model", iter_modules=lambda self: [(("rnn",), rnn), (("rnn", "cell"), rnn.cell)])
    assert [layer.name for layer in rnnadvisor.check(nested, device="a100").layers] == ["rnn"]


# ---- PyTorch itself, where it is


def test_pytorch_layers():
    torch = pytest.importorskip("torch")
    network = torch.nn.ModuleDict(
        {
            "lstm": torch.nn.LSTM(80, 512, 2, bidirectional=True, proj_size=128, bias=False),
            "gru": torch.nn.GRU(80, 512, dtype=torch.bfloat16),
            "rnn": torch.nn.RNN(80, 512, nonlinearity="relu").double().eval(),
        }
    )
    answer = rnnadvisor.check(network, 32, 100, device="h200")
    lstm, gru, rnn = (layer.given for layer in answer.layers)
    expected = {"direction": "bidirectional", "num_layers": 2, "proj_size": 128, "hidden_size": 512, "input_size": 80}
    assert expected.items() <= dict(lstm).items()
    assert gru["data_type"] == "bfloat16" and rnn["data_type"] == "double" and rnn["mode"] == "inference" and rnn["cell"] == "rnn_relu"
    assert answer.layers[0].framework["version"] == torch.__version__.split("+")[0]
    with torch.no_grad():
        assert rnnadvisor.check(network["lstm"], 32, 100, device="h200").layers[0].framework["no_grad"]
    compiled = getattr(torch, "compile", None)
    if compiled is not None:
        assert rnnadvisor.check(compiled(network), device="h200").layers[0].framework["jit_compile"]


def test_dynamic_quantization():
    torch = pytest.importorskip("torch")
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this PyTorch has no engine for it")
    network = torch.quantization.quantize_dynamic(torch.nn.Sequential(torch.nn.LSTM(8, 8)), {torch.nn.LSTM})
    with pytest.raises(rnnadvisor.RnnadvisorError, match="quantized"):
        rnnadvisor.check(network, device="h200")
