# Whether a float32 layer that cuDNN multiplies in half (CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION) is right with tensors that are aligned to 4 bytes only:
# inputs, states, outputs, gradients and weights; workspace and reserve excepted. Made conversion-alignment.jsonl: the relative difference of y, dx and
# dw from the same call with aligned tensors (`aligned`: of that call from itself, run again), in a process of its own each.
# usage: conversion-alignment.py OUTPUT.jsonl
import importlib.util, itertools, json, pathlib, subprocess, sys, time

SPEC = importlib.util.spec_from_file_location("facts", pathlib.Path(__file__).with_name("substitution-facts.py"))
facts = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(facts)


def cases():
    shapes = ((256, 256, 32, 1, 1), (64, 333, 8, 2, 1), (512, 80, 32, 2, 2), (100, 65, 3, 1, 2), (1024, 1024, 16, 1, 1))
    for cell, algo, (units, inputs, batch, layers, directions), shift in itertools.product(
            ("lstm", "gru", "rnn_tanh", "rnn_relu"), ("standard", "persist_static", "persist_static_small_h"), shapes, (8, 4)):
        yield dict(cell=cell, data_type="float", math_type="tensor_op_allow_conversion", units=units, inputs=inputs, batch=batch, layers=layers,
                   directions=directions, algo=algo, shift=shift)


def run(case):
    import torch
    cudnn = facts.Cudnn()
    steps, results = 32, []
    layer = facts.Layer(cudnn, case, case["algo"], [steps] * case["batch"])
    status, work, reserve = layer.sizes()
    if layer.set_status or status:
        return dict(case, steps=steps, refused=layer.set_status or status)
    for shift in (0, 0, case["shift"]):
        p, kind = facts.tensors(torch, case, steps, shift)

        def shifted(bytes):
            return torch.zeros(bytes + 64, dtype=torch.uint8, device="cuda")[shift:shift + bytes]

        size = layer.weight_size()[1]
        weights, dw = shifted(size), shifted(size)
        torch.manual_seed(2)
        weights.copy_((torch.randn(size // 4, device="cuda") * case["units"] ** -0.5).view(torch.uint8))
        forward = layer.forward(p, weights, layer.empty(work), held := layer.empty(reserve))
        backward = layer.backward(p, weights, dw, layer.empty(work), held)
        torch.cuda.synchronize()
        if forward or any(backward):
            return dict(case, steps=steps, forward=forward, backward=backward, at=shift)
        results.append((p["y"].clone(), p["dx"].clone(), dw.clone().view(kind)))
    first, again, other = results
    return dict(case, steps=steps, aligned=[facts.error(x, y) for x, y in zip(again, first)], error=[facts.error(x, y) for x, y in zip(other, first)])


def main():
    if sys.argv[1] == "--one":
        print(json.dumps(run(json.loads(sys.argv[2]))))
        return
    import torch
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip()
    with open(sys.argv[1], "w") as out:
        print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "driver": driver,
                          "date": time.strftime("%Y-%m-%d")}), file=out, flush=True)
        work, running = list(cases()), []
        while work or running:
            while work and len(running) < 14:
                each = work.pop(0)
                running.append((each, subprocess.Popen([sys.executable, __file__, "--one", json.dumps(each)], stdout=subprocess.PIPE,
                                                       stderr=subprocess.PIPE, text=True)))
            each, process = running.pop(0)
            text, problem = process.communicate()
            why = next((line for line in problem.splitlines() if "Error" in line), problem[-200:])
            print(json.dumps(json.loads(text) if process.returncode == 0 else dict(each, died=process.returncode, why=why)), file=out, flush=True)


main()
