"""The request: one JSON object that says what was captured and what is to be tried. Checked here, so that nothing behind
it meets a wrong type. Keys and defaults of the call are those of docs/configuration.md."""
import json
import math

from .problem import NotApplicable, Problem, nearest

PROTOCOL = 1
CELLS = ("lstm", "gru", "rnn_tanh", "rnn_relu")
DATA_TYPES = ("float", "double", "half", "bfloat16")
LAYOUTS = ("seq_major_unpacked", "seq_major_packed", "batch_major_unpacked")
WORDS = {
    "cell": CELLS,
    "algo": ("standard", "persist_static", "persist_dynamic", "persist_static_small_h"),
    "direction": ("unidirectional", "bidirectional"),
    "bias_mode": ("no_bias", "single_inp_bias", "double_bias", "single_rec_bias"),
    "input_mode": ("linear_input", "skip_input"),
    "data_type": DATA_TYPES,
    "math_precision": DATA_TYPES,
    "math_type": ("default", "tensor_op", "tensor_op_allow_conversion", "fma"),
    "clip_mode": ("none", "minmax"),
    "layout": LAYOUTS,
    "mode": ("inference", "training"),
}
SIZES = ("input_size", "hidden_size", "proj_size", "num_layers", "seq_length", "batch_size")
IGNORED = ("id", "backward_algo", "dropout_seed", "clip_left", "clip_right", "clip_propagate_nan", "padded_io")
FLAGS = ("cudnn_enabled", "allow_tf32", "deterministic", "packed_sequence", "batch_first", "flat_weights", "module_training", "no_grad")
PHASES = ("inference", "training")
MOST = 2**31 - 1


def _fail(what, where, remedy):
    raise Problem(what, where, remedy)


def _whole(value, where, least=1, most=MOST):
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        _fail("{!r} is not a whole number from {} to {}".format(value, least, most), where, "correct the value")
    return value


def _number(value, where, least, most):
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or not least <= value <= most:
        _fail("{!r} is not a number from {} to {}".format(value, least, most), where, "correct the value")
    return float(value)


def _object(value, where):
    if not isinstance(value, dict):
        _fail("this is not an object", where, "write {…}")
    return value


def _list(value, where):
    if not isinstance(value, list):
        _fail("this is not a list", where, "write […]")
    return value


def _flag(value, where):
    if not isinstance(value, bool):
        _fail("{!r} is neither true nor false".format(value), where, "write true or false")
    return value


def _known(given, known, where):
    for key in given:
        if key not in known:
            _fail("there is no key '{}'".format(key), where, nearest(key, known))


class Call:
    """The captured call, as PyTorch makes it."""

    def __init__(self, given):
        where = "call"
        _known(_object(given, where), (*WORDS, *SIZES, *IGNORED, "dropout", "seq_lengths", "framework"), where)
        for key, words in WORDS.items():
            if key in given and given[key] not in words:
                _fail("'{}' cannot be {!r}".format(key, given[key]), where + "." + key, nearest(given[key], words))
        for key in SIZES:
            if key in given:
                _whole(given[key], where + "." + key)
        self.cell = given.get("cell", "lstm")
        self.bidirectional = given.get("direction") == "bidirectional"
        self.bias = given.get("bias_mode", "double_bias") != "no_bias"
        self.data_type = given.get("data_type", "float")
        self.hidden_size = given.get("hidden_size", 512)
        self.input_size = given.get("input_size", self.hidden_size)
        self.proj_size = given.get("proj_size", self.hidden_size)
        self.proj_size = 0 if self.proj_size == self.hidden_size else self.proj_size
        self.num_layers = given.get("num_layers", 1)
        self.dropout = _number(given.get("dropout", 0), "call.dropout", 0, 1)
        self.training = given.get("mode", "training") == "training"
        lengths = [_whole(n, "call.seq_lengths", 0) for n in _list(given.get("seq_lengths", []), "call.seq_lengths")]
        self.seq_length = given.get("seq_length", max(lengths) if lengths and max(lengths) else 128)
        self.batch_size = given.get("batch_size", len(lengths) or 64)
        if lengths and (len(lengths) != self.batch_size or max(lengths) > self.seq_length):
            _fail("seq_lengths has {} lengths up to {} for {} sequences of up to {} steps".format(
                len(lengths), max(lengths), self.batch_size, self.seq_length), "call.seq_lengths", "one length per sequence, none above seq_length")
        program = _object(given.get("framework", {}), "call.framework")
        for key in FLAGS:
            if key in program:
                _flag(program[key], "call.framework." + key)
        self.packed = program.get("packed_sequence", given.get("layout") == "seq_major_packed")
        self.batch_first = program.get("batch_first", given.get("layout") == "batch_major_unpacked")
        self.cudnn_enabled = program.get("cudnn_enabled", True)
        self.allow_tf32 = program.get("allow_tf32", given.get("math_type", "default") != "fma")
        self.flat_weights = program.get("flat_weights", True)
        self.deterministic = program.get("deterministic")
        self.autocast = program.get("autocast", "off")
        if self.autocast not in ("off", "float16", "bfloat16"):
            _fail("autocast cannot be {!r}".format(self.autocast), "call.framework.autocast", "off, float16 or bfloat16")
        # Under autocast the captured type is what autocast made of it; the parameters are float.
        self.module_type = "float" if self.autocast != "off" else self.data_type
        self.seq_lengths = lengths or [self.seq_length] * self.batch_size
        self._limits(given)

    def _limits(self, given):
        where, other = "call", "measure it with `rnnadvisor advise --verify` without --torch"
        if given.get("bias_mode") in ("single_inp_bias", "single_rec_bias"):
            _fail("PyTorch has no layer with one bias vector", where + ".bias_mode", other)
        if given.get("input_mode") == "skip_input":
            _fail("PyTorch has no layer without an input matrix", where + ".input_mode", other)
        if given.get("clip_mode") == "minmax":
            _fail("PyTorch clips no cell state", where + ".clip_mode", other)
        if self.proj_size and (self.cell != "lstm" or self.proj_size > self.hidden_size):
            _fail("PyTorch has a projection for LSTM only, narrower than hidden_size", where + ".proj_size", other)
        if self.packed and min(self.seq_lengths) == 0:
            _fail("PyTorch packs no sequence of length 0", where + ".seq_lengths", "leave the empty sequences out")

    @property
    def directions(self):
        return 2 if self.bidirectional else 1

    @property
    def width(self):
        """Of h and of each direction's output."""
        return self.proj_size or self.hidden_size

    @property
    def equal_lengths(self):
        return min(self.seq_lengths) == max(self.seq_lengths)


class Candidate:
    """One change to try: transforms in the order in which they are applied."""

    def __init__(self, given, where, default):
        _known(_object(given, where), ("id", "transforms"), where)
        self.id = given.get("id", default)
        if not isinstance(self.id, str):
            _fail("the id is not a string", where + ".id", "write a string")
        self.transforms = []
        for index, one in enumerate(_list(given.get("transforms"), where + ".transforms")):
            place = "{}.transforms[{}]".format(where, index)
            _known(_object(one, place), ("kind", "parameters"), place)
            if not isinstance(one.get("kind"), str):
                _fail("a transform needs a kind", place + ".kind", "write {\"kind\": \"split_layers\"}")
            self.transforms.append((one["kind"], _object(one.get("parameters", {}), place + ".parameters")))
        if not self.transforms:
            _fail("a candidate needs a transform", where + ".transforms", "write [{\"kind\": …}]")


class Request:
    def __init__(self, given):
        known = ("protocol", "call", "candidates", "budget_s", "device", "seed", "phases", "call_site", "least_gain", "measure", "reference")
        _known(_object(given, "request"), known, "request")
        if given.get("protocol") != PROTOCOL:
            _fail("protocol {!r} is not {}".format(given.get("protocol"), PROTOCOL), "protocol", "use the rnnadvisor that these scripts came with")
        self.call = Call(given.get("call", {}))
        self.candidates = [Candidate(c, "candidates[{}]".format(i), str(i)) for i, c in enumerate(_list(given.get("candidates", []), "candidates"))]
        if len({c.id for c in self.candidates}) != len(self.candidates):
            _fail("two candidates have one id", "candidates", "give each its own id")
        self.budget_s = _number(given.get("budget_s", 60), "budget_s", 0.1, 86400)
        self.least_gain = _number(given.get("least_gain", 1.02), "least_gain", 1, 100)
        self.seed = _whole(given.get("seed", 1), "seed", 0, 2**63 - 1)
        self.measure = _flag(given.get("measure", True), "measure")
        self.reference = given.get("reference", "auto")
        if self.reference not in ("auto", "cpu", "device", "none"):
            _fail("reference cannot be {!r}".format(self.reference), "reference", "auto, cpu, device or none")
        device = given.get("device", 0)
        if device != "cpu":
            device = _whole(device, "device", 0, 1023)
        self.device = "cpu" if device == "cpu" else "cuda:{}".format(device)
        self.phases = _list(given.get("phases", ["inference", "training"] if self.call.training else ["inference"]), "phases")
        for phase in self.phases:
            if phase not in PHASES:
                _fail("there is no phase {!r}".format(phase), "phases", nearest(phase, PHASES))
        self.call_site = given.get("call_site")
        if self.call_site is not None:
            _known(_object(self.call_site, "call_site"), ("file", "line", "root"), "call_site")
            _whole(self.call_site.get("line"), "call_site.line")
            for key in ("file", "root"):
                if not isinstance(self.call_site.get(key, ""), str) or (key == "file" and not self.call_site.get("file")):
                    _fail("this is no path", "call_site." + key, "write a string")


def parse(text):
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        place = "request, line {} column {}".format(error.lineno, error.colno) if hasattr(error, "lineno") else "request"
        raise Problem("the request is not JSON: {}".format(getattr(error, "msg", error)), place, "send one JSON object")
    return Request(given)


__all__ = ["Call", "Candidate", "NotApplicable", "Request", "parse", "PROTOCOL"]
