"""The changed layer as a module file that runs by itself: the very text that is measured is the text that is given away."""
import pkgutil

# Outermost first: the order in which the parts see a call.
ORDER = ("flatten_parameters", "unpack_equal_lengths", "bucket_lengths", "lower_batch", "rows", "chunk_sequence", "pad_batch",
         "split_layers", "split_directions", "split", "pad_hidden", "pad_input", "data_type", "recurrence")
NEEDS = {"bucket_lengths": "rows", "lower_batch": "rows", "split_layers": "split", "split_directions": "split"}
CELLS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}
TYPES = {"float": "torch.float32", "double": "torch.float64", "half": "torch.float16", "bfloat16": "torch.bfloat16"}
_SAYS = {
    "split_layers": "each layer of the stack is a call of its own",
    "split_directions": "each layer and direction is a call of its own",
    "pad_hidden": "hidden_size is rounded up to a multiple of {hidden_multiple} with units that stay zero",
    "pad_input": "the input width is rounded up to a multiple of {input_multiple} with columns of zero",
    "pad_batch": "the batch is rounded up to a multiple of {batch_multiple} with sequences that are cut off again",
    "unpack_equal_lengths": "packed sequences of one length run as a plain tensor",
    "bucket_lengths": "packed sequences run in {buckets} buckets of similar length",
    "lower_batch": "at most {rows_per_call} sequences run at once",
    "chunk_sequence": "at most {steps_per_call} time steps run at once, h and c handed on",
    "data_type": "the layer computes in {compute_type}; parameters and results keep their type",
    "flatten_parameters": "weights that something moved are flattened again",
}


def camel(name):
    return "".join(word.capitalize() for word in name.split("_"))


def class_name(plan, call):
    return "".join(camel(part) for part in ORDER if part in plan.parts) + CELLS[call.cell]


def module_name(plan):
    return "rnn_" + "_".join(part for part in ORDER if part in plan.parts)


def _body(part):
    text = pkgutil.get_data(__package__, "changes/{}.py".format(part)).decode("utf-8")
    return text[text.index("\nclass ") + 1:].rstrip() + "\n"


def module_text(plan, call):
    """The module file, or None when the plan has no part that is code of a layer."""
    if not plan.parts:
        return None
    used = {"recurrence", *plan.parts, *(NEEDS[part] for part in plan.parts if part in NEEDS)}
    used = [part for part in ORDER if part in used]
    attributes = {key: value for part in used for key, value in plan.parts.get(part, {}).items()}
    name, cell = class_name(plan, call), CELLS[call.cell]
    says = "; ".join(_SAYS[part].format(**attributes) for part in used if part in plan.parts)
    numbers = "other rounding" if plan.meaning == "numerics" else "same results up to rounding"
    lines = [
        '"""torch.nn.{} with a change: {}.'.format(cell, says),
        "Made by rnnadvisor. Put {} where torch.nn.{} was: same arguments, same parameters, {}.".format(name, cell, numbers),
        'State dicts go both ways, load_state_dict() of the old layer\'s works as it is. PyTorch 1.13 or later."""',
        "import torch",
        "from torch.nn.utils.rnn import PackedSequence",
        "",
        "",
    ]
    text = "\n".join(lines) + "\n" + "\n\n".join(_body(part) for part in reversed(used))
    bases = ["_" + camel(part) for part in used] + ["torch.nn." + cell]
    text += "\n\nclass {}({}):\n".format(name, ", ".join(bases))
    text += '    """{}{}."""\n'.format(says[0].upper(), says[1:])
    if attributes:
        text += "\n"
    for key, value in attributes.items():
        text += "    {} = {}\n".format(key, TYPES.get(value, value) if key == "compute_type" else value)
    return text


def load_class(text, plan, call):
    """The class that the text defines, compiled from that text."""
    import linecache
    name = "<{}.py>".format(module_name(plan))
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)  # so that tracebacks have its lines
    space = {"__name__": module_name(plan)}
    exec(compile(text, name, "exec"), space)
    return space[class_name(plan, call)]


def snippets(plan, call):
    """Lines for the program around the layer: changes that are no module. [(title, code)]."""
    found, settings = [], plan.settings
    if "allow_tf32" in settings:
        found.append(("once, before training begins: the backward pass reads it too",
                      "torch.backends.cudnn.allow_tf32 = {}\n".format(settings["allow_tf32"])))
    if "cudnn_enabled" in settings:
        found.append(("once, and remove what set the opposite", "torch.backends.cudnn.enabled = {}\n".format(settings["cudnn_enabled"])))
    if "model_type" in settings:
        kind = TYPES[settings["model_type"]]
        found.append(("where the model is made; and cast its input", "model.to({0})\nx = x.to({0})\n".format(kind)))
    if "batch_first" in settings:
        first = settings["batch_first"]
        found.append(("where the layer is made; make its input so, do not transpose it before the call",
                      "torch.nn.{}(…, batch_first={})  # input: {}\n".format(CELLS[call.cell], first, "(batch, seq, features)" if first else "(seq, batch, features)")))
    if "inference_mode" in settings:
        found.append(("around evaluation", "model.eval()\nwith torch.inference_mode():\n    y, state = rnn(x)\n"))
    if "cuda_graph" in settings:
        found.append(("once, after the model is on the GPU; sizes are fixed from then on", pkgutil.get_data(__package__, "changes/cuda_graph.txt").decode("utf-8")))
    if "accumulate" in settings:
        found.append(("in place of one forward and backward pass", pkgutil.get_data(__package__, "changes/accumulate.txt").decode("utf-8")
                      .replace("ROWS", str(settings["accumulate"])).replace("AXIS", "0" if call.batch_first else "1")))
    return found
