"""Reads cuDNN's own API log (CUDNN_LOGLEVEL_DBG=3) and says of each RNN call what a profile must say of it too."""
import re

PHASES = {"cudnnRNNForward": None, "cudnnRNNBackwardData_v8": "backward_data", "cudnnRNNBackwardWeights_v8": "backward_weights"}
WORDS = {
    "CUDNN_RNN_ALGO_STANDARD": "standard", "CUDNN_RNN_ALGO_PERSIST_STATIC": "persist_static",
    "CUDNN_RNN_ALGO_PERSIST_DYNAMIC": "persist_dynamic", "CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H": "persist_static_small_h",
    "CUDNN_RNN_RELU": "rnn_relu", "CUDNN_RNN_TANH": "rnn_tanh", "CUDNN_LSTM": "lstm", "CUDNN_GRU": "gru",
    "CUDNN_RNN_NO_BIAS": "no_bias", "CUDNN_RNN_SINGLE_INP_BIAS": "single_inp_bias", "CUDNN_RNN_DOUBLE_BIAS": "double_bias",
    "CUDNN_RNN_SINGLE_REC_BIAS": "single_rec_bias",
    "CUDNN_UNIDIRECTIONAL": "unidirectional", "CUDNN_BIDIRECTIONAL": "bidirectional",
    "CUDNN_LINEAR_INPUT": "linear_input", "CUDNN_SKIP_INPUT": "skip_input",
    "CUDNN_DATA_FLOAT": "float", "CUDNN_DATA_DOUBLE": "double", "CUDNN_DATA_HALF": "half", "CUDNN_DATA_BFLOAT16": "bfloat16",
    "CUDNN_DEFAULT_MATH": "default", "CUDNN_TENSOR_OP_MATH": "tensor_op",
    "CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION": "tensor_op_allow_conversion", "CUDNN_FMA_MATH": "fma",
    "CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED": "seq_major_unpacked", "CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED": "seq_major_packed",
    "CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED": "batch_major_unpacked",
}
FUNCTION = re.compile(r"I! CuDNN \(v\d+(?: \d+)?\) function (\w+)\(\) called:")
FIELD = re.compile(r"i!(\s+)(\w+): type=[^;:]+(?:; val=(.*?))?[;:]\s*$")


def parse_fields(lines):
    """Nested fields as {'rnnDesc.algo': 'CUDNN_…', …}: values without their number in brackets."""
    fields, stack = {}, []
    for line in lines:
        match = FIELD.match(line)
        if not match:
            continue
        depth, name, value = len(match[1]), match[2], match[3]
        while stack and stack[-1][0] >= depth:
            stack.pop()
        path = ".".join([s[1] for s in stack] + [name])
        if value is None:
            stack.append((depth, name))
        else:
            fields[path] = re.sub(r" \(-?\w+\)$", "", value.strip())
    return fields


def normalise(function, f):
    number = lambda path: int(f[path])
    steps, batch, _ = (int(v) for v in f["xDesc.dimA"].strip("[]").split(","))
    lengths = [int(v) for v in re.findall(r"\d+", f["xDesc.seqLengthArray"])]
    mode = "inference" if f.get("fwdMode") == "CUDNN_FWD_MODE_INFERENCE" else "training"
    return {
        "phase": PHASES[function] or f"forward_{mode}", "mode": mode,
        "algo": WORDS[f["rnnDesc.algo"]], "cell": WORDS[f["rnnDesc.cellMode"]], "bias_mode": WORDS[f["rnnDesc.biasMode"]],
        "direction": WORDS[f["rnnDesc.bidirectional"]], "input_mode": WORDS[f["rnnDesc.inputMode"]],
        "data_type": WORDS[f["rnnDesc.dataType"]], "math_precision": WORDS[f["rnnDesc.mathPrec"]],
        "math_type": WORDS[f["rnnDesc.mathMode"]], "input_size": number("rnnDesc.inputSize"),
        "hidden_size": number("rnnDesc.hiddenSize"), "proj_size": number("rnnDesc.projSize"),
        "num_layers": number("rnnDesc.numLayers"), "padded_io": "ENABLED" in f["rnnDesc.auxFlags"],
        "dropout": round(float(f.get("rnnDesc.dropoutDesc.dropout", 0)), 6),
        "layout": WORDS[f["xDesc.layout"]], "seq_length": steps, "batch_size": batch,
        "lengths": None if all(n == steps for n in lengths) else lengths[:batch],
        "lengths_cut": len(lengths) < batch,
        "weights_bytes": number("weightSpaceSize"), "workspace_bytes": number("workSpaceSize"),
        "reserve_bytes": number("reserveSpaceSize"),
    }


def read(path):
    calls, function, lines = [], None, []

    def close():
        if function in PHASES:
            calls.append(normalise(function, parse_fields(lines)))

    with open(path, errors="replace") as file:
        for line in file:
            match = FUNCTION.match(line)
            if match:
                close()
                function, lines = match[1], []
            elif line.startswith(("E! ", "W! ")):
                close()
                function, lines = None, []
            elif function:
                lines.append(line.rstrip("\n"))
    close()
    return calls
