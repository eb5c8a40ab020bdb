"""What a candidate comes to in PyTorch: parts of a module (changes/), settings around it, or the reason why neither.

The kinds are those of advisor/change/transform.h, and one that only PyTorch has: allow_tf32, which is math_type there."""
from .problem import NotApplicable, Problem, nearest

# What a change does to the function that is computed, the mildest first.
MEANINGS = ("exact", "padded", "numerics", "model")

_MULTIPLE = {"multiple": (1, 65536)}
_ON = {"value": bool}
# kind: (meaning, parameters: name -> (least, most), words or bool)
KINDS = {
    "algo": ("exact", {"value": ("standard", "persist_static", "persist_dynamic", "persist_static_small_h")}),
    "math_type": ("numerics", {"value": ("default", "tensor_op", "tensor_op_allow_conversion", "fma")}),
    "data_type": ("numerics", {"value": ("float", "double", "half", "bfloat16")}),
    "math_precision": ("numerics", {"value": ("float", "double", "half", "bfloat16")}),
    "pad_hidden": ("padded", _MULTIPLE),
    "pad_input": ("padded", _MULTIPLE),
    "pad_batch": ("padded", _MULTIPLE),
    "set_batch": ("model", {"value": (1, 2**31 - 1)}),
    "set_hidden": ("model", {"value": (1, 2**31 - 1)}),
    "set_dropout": ("model", {"value": float}),
    "lower_batch": ("exact", {"value": (1, 2**31 - 1)}),
    "chunk_sequence": ("exact", {"length": (1, 2**31 - 1)}),  # gradients pass from chunk to chunk here
    "split_layers": ("exact", {}),
    "split_directions": ("exact", {}),
    "unpack_equal_lengths": ("exact", {}),
    "sort_lengths": ("exact", {}),
    "drop_empty_rows": ("exact", {}),
    "bucket_lengths": ("exact", {"buckets": (2, 1024)}),
    "layout": ("exact", {"value": ("seq_major_unpacked", "seq_major_packed", "batch_major_unpacked")}),
    "padded_io": ("exact", _ON),
    "bias_mode_double": ("exact", {}),
    "linear_input": ("model", {}),
    "drop_projection": ("model", {}),
    "drop_clipping": ("model", {}),
    "drop_dropout": ("exact", {}),
    "inference_mode": ("exact", {}),
    "cuda_graph": ("exact", {}),
    "cudnn_enabled": ("numerics", _ON),
    "allow_tf32": ("numerics", _ON),
    "flatten_parameters": ("exact", {}),
}
_OPTIONAL = {"data_type": {"how": ("layer", "model")}}  # layer: the layer alone, default; model: weights and input too

_PYTORCH_DECIDES = "PyTorch chooses the algorithm itself; change the sizes or the data type, or use cuDNN directly"
_NOT_IN_PYTORCH = {
    "algo": _PYTORCH_DECIDES,
    "math_precision": "PyTorch computes in float for half and bfloat16 data, and in the data's type otherwise",
    "sort_lengths": "PyTorch sorts: pack_padded_sequence() takes sorted sequences, or sorts them with enforce_sorted=False",
    "drop_empty_rows": "PyTorch packs no empty sequence",
    "padded_io": "PyTorch hands padded data to cuDNN as full sequences, or packs it",
    "bias_mode_double": "PyTorch has both bias vectors or none",
    "linear_input": "PyTorch always has an input matrix",
    "drop_clipping": "PyTorch clips no cell state",
}


def check_transform(kind, parameters, where):
    """A wrong kind, parameter or value is a mistake of the request: Problem."""
    if kind not in KINDS:
        raise Problem("no transform is called '{}'".format(kind), where + ".kind", nearest(kind, KINDS))
    known = KINDS[kind][1]
    optional = _OPTIONAL.get(kind, {})
    for name, value in parameters.items():
        if name not in known and name not in optional:
            raise Problem("transform '{}' has no parameter '{}'".format(kind, name), where + ".parameters", nearest(name, {**known, **optional} or ["{}"]))
        wanted = known.get(name, optional.get(name))
        if wanted is bool:
            good, hint = isinstance(value, bool), "true or false"
        elif wanted is float:
            good, hint = isinstance(value, (int, float)) and not isinstance(value, bool), "a number"
        elif isinstance(wanted[0], str):
            good, hint = value in wanted, "one of " + ", ".join(wanted)
        else:
            good = isinstance(value, int) and not isinstance(value, bool) and wanted[0] <= value <= wanted[1]
            hint = "a whole number from {} to {}".format(*wanted)
        if not good:
            raise Problem("'{}' of '{}' cannot be {!r}".format(name, kind, value), where + ".parameters." + name, hint)
    for name in known:
        if name not in parameters:
            raise Problem("transform '{}' needs the parameter '{}'".format(kind, name), where + ".parameters", "add it")


class Plan:
    """parts: file names in changes/ with the attributes they need. Settings: what is done around the module."""

    def __init__(self):
        self.parts = {}        # name -> {attribute: value}
        self.settings = {}     # cudnn_enabled, allow_tf32, flat_weights, batch_first, model_type, cuda_graph, inference_mode, accumulate
        self.meaning = "exact"
        self.notes = []

    def part(self, name, **attributes):
        self.parts[name] = attributes


def make_plan(call, transforms, where="candidate"):
    """The plan for transforms in their order. Problem for mistakes, NotApplicable for what does not fit this call."""
    for index, (kind, parameters) in enumerate(transforms):
        check_transform(kind, parameters, "{}.transforms[{}]".format(where, index))
    plan = Plan()
    for kind, parameters in transforms:
        meaning = KINDS[kind][0]
        if kind in _NOT_IN_PYTORCH:
            raise NotApplicable("'{}' cannot be tried in PyTorch".format(kind), _NOT_IN_PYTORCH[kind])
        if meaning == "model":
            raise NotApplicable("'{}' makes another model, whose speed says nothing of this one".format(kind), "change the model and profile it again")
        _APPLY[kind](plan, call, parameters)
        plan.meaning = max(plan.meaning, meaning, key=MEANINGS.index)
    if "accumulate" in plan.settings and "cuda_graph" in plan.settings:
        raise NotApplicable("a graph of a batch that is taken in pieces", "use one of them")
    if "bucket_lengths" in plan.parts and "lower_batch" in plan.parts:
        raise NotApplicable("buckets and pieces of the batch at once", "use one of them")
    return plan


def _no(what, remedy=""):
    raise NotApplicable(what, remedy)


def _pad(name, attribute, size_of):
    def apply(plan, call, parameters):
        if size_of(call) % parameters["multiple"] == 0:
            _no("{} is a multiple of {} already".format(size_of(call), parameters["multiple"]))
        if name == "pad_batch" and call.packed and not (call.equal_lengths and "unpack_equal_lengths" in plan.parts):
            _no("PyTorch runs packed sequences with the standard algorithm, whatever the batch", "unpack equal lengths first")
        plan.part(name, **{attribute: parameters["multiple"]})
    return apply


def _split_layers(plan, call, _):
    if call.num_layers < 2:
        _no("there is one layer only")
    if "split_directions" not in plan.parts:  # which splits the layers too
        plan.part("split_layers")


def _split_directions(plan, call, _):
    if not call.bidirectional:
        _no("there is one direction only")
    plan.parts.pop("split_layers", None)
    plan.part("split_directions")


def _unpack(plan, call, _):
    if not call.packed:
        _no("the input is no PackedSequence")
    if not call.equal_lengths:
        _no("the sequences differ in length", "bucket_lengths makes groups of one length where there are any")
    plan.part("unpack_equal_lengths")


def _buckets(plan, call, parameters):
    if not call.packed or call.equal_lengths:
        _no("PyTorch knows lengths of a PackedSequence only, and these must differ")
    plan.part("bucket_lengths", buckets=parameters["buckets"])


def _lower_batch(plan, call, parameters):
    if parameters["value"] >= call.batch_size:
        _no("the batch has {} sequences only".format(call.batch_size))
    plan.part("lower_batch", rows_per_call=parameters["value"])
    if not call.packed:
        plan.settings["accumulate"] = parameters["value"]
        plan.notes.append("in training each piece runs forward and backward before the next, and gradients add up")


def _chunks(plan, call, parameters):
    if call.bidirectional:
        _no("the backward direction begins at the end of the sequence and cannot be cut into chunks")
    if parameters["length"] >= call.seq_length:
        _no("the sequence has {} steps only".format(call.seq_length))
    plan.part("chunk_sequence", steps_per_call=parameters["length"])
    plan.notes.append("h and c are not detached: gradients pass from chunk to chunk")


def _data_type(plan, call, parameters):
    value = parameters["value"]
    if call.autocast != "off":
        _no("autocast chooses the type of this call", "change autocast's dtype and profile again")
    if value == call.data_type:
        _no("the data type is {} already".format(value))
    if parameters.get("how", "layer") == "model":
        plan.settings["model_type"] = value
    else:
        plan.part("data_type", compute_type=value)


def _tf32(plan, call, value):
    if call.data_type != "float" or call.autocast != "off":
        _no("TF32 is for float data")
    if value == call.allow_tf32:
        _no("TF32 is {} already".format("allowed" if value else "forbidden"))
    plan.settings["allow_tf32"] = value


def _math_type(plan, call, parameters):
    if parameters["value"] == "fma":
        _tf32(plan, call, False)
    elif parameters["value"] == "default":
        _tf32(plan, call, True)
    else:
        _no("PyTorch sets math type {} by itself for half data, and never for float".format(parameters["value"]), "try data_type half")


def _cudnn_enabled(plan, call, parameters):
    if parameters["value"] == call.cudnn_enabled:
        _no("cuDNN is {} already".format("enabled" if call.cudnn_enabled else "disabled"))
    plan.settings["cudnn_enabled"] = parameters["value"]


def _flatten(plan, call, _):
    if call.flat_weights:
        _no("the weights are one flat buffer already, or it is not known that they are not")
    plan.part("flatten_parameters")


def _layout(plan, call, parameters):
    wanted = parameters["value"] == "batch_major_unpacked"
    if call.packed or parameters["value"] == "seq_major_packed":
        _no("packing is chosen by the kind of input")
    if wanted == call.batch_first:
        _no("the layout is {} already".format(parameters["value"]))
    plan.settings["batch_first"] = wanted


def _inference(plan, call, _):
    if not call.training:
        _no("the call is inference already")
    plan.settings["inference_mode"] = True


def _cuda_graph(plan, call, _):
    if call.packed:
        _no("a PackedSequence has its lengths on the host, which a graph would freeze", "unpack equal lengths first")
    plan.settings["cuda_graph"] = True


def _drop_dropout(plan, call, _):
    _no("between layers dropout has an effect" if call.num_layers > 1 else "PyTorch ignores the dropout of a single layer")


_APPLY = {
    "pad_hidden": _pad("pad_hidden", "hidden_multiple", lambda call: call.hidden_size),
    "pad_input": _pad("pad_input", "input_multiple", lambda call: call.input_size),
    "pad_batch": _pad("pad_batch", "batch_multiple", lambda call: call.batch_size),
    "split_layers": _split_layers, "split_directions": _split_directions, "unpack_equal_lengths": _unpack, "bucket_lengths": _buckets,
    "lower_batch": _lower_batch, "chunk_sequence": _chunks, "data_type": _data_type, "math_type": _math_type,
    "allow_tf32": lambda plan, call, parameters: _tf32(plan, call, parameters["value"]), "cudnn_enabled": _cudnn_enabled,
    "flatten_parameters": _flatten, "layout": _layout, "inference_mode": _inference, "cuda_graph": _cuda_graph, "drop_dropout": _drop_dropout,
}
