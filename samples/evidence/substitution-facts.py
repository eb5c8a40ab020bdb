# What cuDNN guarantees of one RNN call when another algorithm is asked for: are weights laid out alike, do sizes differ, does a backward pass follow
# the algorithm of its forward pass, is a larger or cloned reserve taken, what do unequal lengths, captures and unaligned pointers do. Made
# substitution-facts.jsonl. Calls libcudnn by ctypes; PyTorch gives memory, streams and graphs.
# usage: substitution-facts.py OUTPUT.jsonl          (each case in a process of its own, because a wrong call can end it)
import ctypes as C, itertools, json, random, subprocess, sys, time

ALGOS = {"standard": 0, "persist_static": 1, "persist_dynamic": 2, "persist_static_small_h": 3}
CELLS = {"rnn_relu": (0, 1), "rnn_tanh": (1, 1), "lstm": (2, 4), "gru": (3, 3)}
TYPES = {"float": 0, "half": 2, "bfloat16": 9}
MATHS = {"default": 0, "tensor_op": 1, "tensor_op_allow_conversion": 2}
LAYOUTS = {"unpacked": 0, "packed": 1}
OK = 0


def cases():
    draw = random.Random(16)
    for cell, (kind, units, batch) in itertools.product(
            ("lstm", "gru", "rnn_tanh"),
            [("half", 256, 32), ("half", 1024, 16), ("half", 200, 8), ("half", 64, 32), ("float", 256, 32), ("float", 64, 20), ("bfloat16", 256, 32)]):
        yield dict(cell=cell, data_type=kind, math_type="tensor_op" if kind != "float" else "default", units=units, inputs=units, batch=batch, layers=1, directions=1)
    for _ in range(40):
        kind = draw.choice(["half", "half", "float", "float", "bfloat16"])
        yield dict(cell=draw.choice(list(CELLS)), data_type=kind,
                   math_type=draw.choice(["tensor_op", "default"] if kind != "float" else ["default", "tensor_op_allow_conversion"]),
                   units=draw.choice([40, 64, 100, 128, 320, 512, 650, 1000, 1024]), inputs=draw.choice([64, 80, 333, 512]), batch=draw.choice([1, 8, 20, 32, 64, 130]),
                   layers=draw.choice([1, 2, 3]), directions=draw.choice([1, 2]))


class Cudnn:
    def __init__(self):
        import torch
        torch.backends.cudnn.version()
        self.lib = C.CDLL("libcudnn.so.9")

    def call(self, name, *arguments):
        return getattr(self.lib, name)(*arguments)

    def create(self, name, *arguments):
        made = C.c_void_p()
        assert self.call(name, C.byref(made), *arguments) == OK
        return made


class Layer:
    """One descriptor with its data, of one algorithm."""

    def __init__(self, cudnn, case, algo, lengths, layout="unpacked", padded_io=0, handle=None):
        import torch
        self.cudnn, self.case, self.torch = cudnn, case, torch
        self.handle = handle or cudnn.create("cudnnCreate")
        stream = torch.cuda.current_stream().cuda_stream
        cudnn.call("cudnnSetStream", self.handle, C.c_void_p(stream))
        self.dropout = cudnn.create("cudnnCreateDropoutDescriptor")
        cudnn.call("cudnnSetDropoutDescriptor", self.dropout, self.handle, C.c_float(0), None, C.c_size_t(0), C.c_ulonglong(0))
        self.rnn = cudnn.create("cudnnCreateRNNDescriptor")
        kind = TYPES[case["data_type"]]
        self.set_status = cudnn.call(
            "cudnnSetRNNDescriptor_v8", self.rnn, ALGOS[algo], CELLS[case["cell"]][0], 2, case["directions"] - 1, 0, kind, 0, MATHS[case["math_type"]],
            case["inputs"], case["units"], case["units"], case["layers"], self.dropout, padded_io)
        self.lengths, self.steps, self.batch = lengths, max(lengths), len(lengths)
        self.device_lengths = torch.tensor(lengths, dtype=torch.int32, device="cuda")
        array = (C.c_int * len(lengths))(*lengths)
        wide = case["units"] * case["directions"]

        def data(width):
            made = cudnn.create("cudnnCreateRNNDataDescriptor")
            self.data_status = cudnn.call("cudnnSetRNNDataDescriptor", made, kind, LAYOUTS[layout], self.steps, self.batch, width, array, None)
            return made

        self.x_data, self.y_data = data(case["inputs"]), data(wide)
        self.h = cudnn.create("cudnnCreateTensorDescriptor")
        size = [case["layers"] * case["directions"], self.batch, case["units"]]
        strides = [size[1] * size[2], size[2], 1]
        cudnn.call("cudnnSetTensorNdDescriptor", self.h, kind, 3, (C.c_int * 3)(*size), (C.c_int * 3)(*strides))

    def weight_size(self):
        size = C.c_size_t()
        return self.cudnn.call("cudnnGetRNNWeightSpaceSize", self.handle, self.rnn, C.byref(size)), size.value

    def offsets(self, space):
        found = []
        gates = CELLS[self.case["cell"]][1] * 2
        for layer in range(self.case["layers"] * self.case["directions"]):
            for gate in range(gates):
                m, b = self.cudnn.create("cudnnCreateTensorDescriptor"), self.cudnn.create("cudnnCreateTensorDescriptor")
                at, bias = C.c_void_p(), C.c_void_p()
                status = self.cudnn.call("cudnnGetRNNWeightParams", self.handle, self.rnn, layer, C.c_size_t(space.numel()), C.c_void_p(space.data_ptr()), gate, m,
                                         C.byref(at), b, C.byref(bias))
                found.append((status, at.value and at.value - space.data_ptr(), bias.value and bias.value - space.data_ptr()))
        return found

    def sizes(self, training=1):
        work, reserve = C.c_size_t(), C.c_size_t()
        status = self.cudnn.call("cudnnGetRNNTempSpaceSizes", self.handle, self.rnn, training, self.x_data, C.byref(work), C.byref(reserve))
        return status, work.value, reserve.value

    def empty(self, count):
        return self.torch.empty(count, dtype=self.torch.uint8, device="cuda")

    def forward(self, p, w, work, reserve, training=1):
        pointer = lambda t: C.c_void_p(t.data_ptr())
        cell = pointer(p["hx"]) if self.case["cell"] == "lstm" else None
        return self.cudnn.call(
            "cudnnRNNForward", self.handle, self.rnn, training, pointer(self.device_lengths), self.x_data, pointer(p["x"]), self.y_data, pointer(p["y"]), self.h,
            pointer(p["hx"]), pointer(p["hy"]), self.h, cell, pointer(p["cy"]), C.c_size_t(w.numel()), pointer(w), C.c_size_t(work.numel()), pointer(work),
            C.c_size_t(reserve.numel() if training else 0), pointer(reserve) if training else None)

    def backward(self, p, w, dw, work, reserve):
        pointer = lambda t: C.c_void_p(t.data_ptr())
        cell = pointer(p["hx"]) if self.case["cell"] == "lstm" else None
        none = None
        data = self.cudnn.call(
            "cudnnRNNBackwardData_v8", self.handle, self.rnn, pointer(self.device_lengths), self.y_data, pointer(p["y"]), pointer(p["dy"]), self.x_data, pointer(p["dx"]),
            self.h, pointer(p["hx"]), none, pointer(p["dhx"]), self.h, cell, none, pointer(p["dcx"]), C.c_size_t(w.numel()), pointer(w), C.c_size_t(work.numel()),
            pointer(work), C.c_size_t(reserve.numel()), pointer(reserve))
        weights = self.cudnn.call(
            "cudnnRNNBackwardWeights_v8", self.handle, self.rnn, 0, pointer(self.device_lengths), self.x_data, pointer(p["x"]), self.h, pointer(p["hx"]), self.y_data,
            pointer(p["y"]), C.c_size_t(dw.numel()), pointer(dw), C.c_size_t(work.numel()), pointer(work), C.c_size_t(reserve.numel()), pointer(reserve))
        return data, weights


def tensors(torch, case, steps, shift=0):
    kind = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16}[case["data_type"]]
    size = 4 if case["data_type"] == "float" else 2

    def at(*shape):  # shift: bytes beyond an aligned address
        count = 1
        for each in shape:
            count *= each
        whole = torch.zeros(count + 256, dtype=kind, device="cuda")
        return whole[shift // size:shift // size + count].view(*shape)

    wide, batch = case["units"] * case["directions"], case["batch"]
    state = (case["layers"] * case["directions"], batch, case["units"])
    p = {"x": at(steps, batch, case["inputs"]), "y": at(steps, batch, wide), "dy": at(steps, batch, wide), "dx": at(steps, batch, case["inputs"])}
    for name in ("hx", "hy", "cy", "dhx", "dcx"):
        p[name] = at(*state)
    torch.manual_seed(1)
    for name in ("x", "dy", "hx"):
        p[name].copy_(torch.randn(p[name].shape, device="cuda") * 0.5)
    return p, kind


def error(a, b):
    a, b = a.double(), b.double()
    norm = float((a - b).norm() / b.norm().clamp_min(1e-30))
    return norm if norm == norm else "not finite"


def run_case(case):
    import torch
    cudnn = Cudnn()
    steps = 32
    lengths = [steps] * case["batch"]
    p, kind = tensors(torch, case, steps)
    original = Layer(cudnn, case, "standard", lengths)
    status, weight_bytes = original.weight_size()
    scale = case["units"] ** -0.5
    weights = (torch.randn(weight_bytes // p["x"].element_size(), device="cuda") * scale).to(kind).view(torch.uint8)
    expected_offsets, row, good = original.offsets(weights), dict(case, steps=steps, algos={}), {}
    for algo in ALGOS:
        layer = Layer(cudnn, case, algo, lengths)
        told = row["algos"][algo] = {"set": layer.set_status}
        if layer.set_status:
            continue
        if algo == "persist_dynamic":
            start = time.time()
            told["build"] = cudnn.call("cudnnBuildRNNDynamic", layer.handle, layer.rnn, case["batch"])
            told["build_ms"] = round((time.time() - start) * 1e3, 1)
        told["weights_as_standard"] = layer.weight_size() == (0, weight_bytes) and layer.offsets(weights) == expected_offsets
        status, work_bytes, reserve_bytes = layer.sizes()
        told.update(sizes=status, work=work_bytes, reserve=reserve_bytes, work_inference=layer.sizes(0)[1])
        if status:
            continue
        work, reserve, dw = layer.empty(work_bytes + 16), layer.empty(reserve_bytes), torch.zeros_like(weights)
        told["forward"] = layer.forward(p, weights, work, reserve)
        if told["forward"]:
            continue
        before = reserve.clone()  # a backward pass overwrites it
        told["backward"] = layer.backward(p, weights, dw, work, reserve)
        torch.cuda.synchronize()
        told["backward_writes_reserve"] = not torch.equal(before, reserve)
        keep = lambda: {"y": p["y"].clone(), "dx": p["dx"].clone(), "dw": dw.view(kind).clone()}
        good[algo] = dict(layer=layer, reserve=before, result=keep())
        told["error"] = {name: error(good[algo]["result"][name], good["standard"]["result"][name]) for name in ("y", "dx", "dw")}
        # The same again: equal bits?
        layer.forward(p, weights, work, reserve)
        dw.zero_()
        layer.backward(p, weights, dw, work, reserve)
        torch.cuda.synchronize()
        told["equal_bits_again"] = all(torch.equal(a, good[algo]["result"][n]) for n, a in keep().items())
        # Another handle and descriptor, a reserve that was cloned and is larger than asked for.
        fresh = Layer(cudnn, case, algo, lengths)
        if algo == "persist_dynamic":
            told["forward_without_build"] = fresh.forward(p, weights, work, reserve)
            cudnn.call("cudnnBuildRNNDynamic", fresh.handle, fresh.rnn, case["batch"])
        larger = layer.empty(reserve_bytes + 4096)
        larger[:reserve_bytes].copy_(good[algo]["reserve"])
        p["y"].copy_(good[algo]["result"]["y"])
        dw.zero_()
        told["backward_of_clone"] = fresh.backward(p, weights, dw, work, larger)
        torch.cuda.synchronize()
        told["clone_equal_bits"] = all(torch.equal(a, good[algo]["result"][n]) for n, a in keep().items())
        # A forward pass into a reserve that is larger, as one that carries its algorithm in its size.
        told["forward_larger_reserve"] = layer.forward(p, weights, layer.empty(work_bytes + 65536), larger)
        torch.cuda.synchronize()
        told["larger_equal_bits"] = torch.equal(p["y"], good[algo]["result"]["y"])
        # Captured.
        try:
            side = torch.cuda.Stream()
            with torch.cuda.stream(side):
                captured = Layer(cudnn, case, algo, lengths, handle=layer.handle)
                if algo == "persist_dynamic":
                    cudnn.call("cudnnBuildRNNDynamic", captured.handle, captured.rnn, case["batch"])
                captured.forward(p, weights, work, reserve)
                side.synchronize()
                graph = torch.cuda.CUDAGraph()
                graph.capture_begin()
                statuses = [captured.forward(p, weights, work, reserve), *captured.backward(p, weights, dw, work, reserve)]
                graph.capture_end()
            p["y"].zero_()
            graph.replay()
            torch.cuda.synchronize()
            told["capture"] = {"statuses": statuses, "equal_bits": torch.equal(p["y"], good[algo]["result"]["y"])}
        except RuntimeError as problem:
            told["capture"] = {"error": str(problem)[:120]}
        cudnn.call("cudnnSetStream", layer.handle, C.c_void_p(torch.cuda.current_stream().cuda_stream))
    # A backward pass of one algorithm after the forward pass of another.
    row["mixed"] = {}
    for first, second in itertools.permutations(good, 2):
        a, b = good[first], good[second]
        work, dw = b["layer"].empty(b["layer"].sizes()[1] + 16), torch.zeros_like(weights)
        size = max(a["reserve"].numel(), b["reserve"].numel())
        reserve = b["layer"].empty(size)
        reserve[:a["reserve"].numel()].copy_(a["reserve"])
        p["y"].copy_(a["result"]["y"])
        statuses = b["layer"].backward(p, weights, dw, work, reserve)
        torch.cuda.synchronize()
        row["mixed"][f"{first} then {second}"] = {"statuses": statuses, "dx": error(p["dx"], a["result"]["dx"]), "dw": error(dw.view(kind), a["result"]["dw"])}
    return row


def run_lengths(case):
    import torch
    cudnn = Cudnn()
    steps, batch = 32, case["batch"]
    row = dict(case, steps=steps, lengths={})
    unequal = sorted((steps - i % 7 for i in range(batch)), reverse=True)
    for algo, layout, padded, lengths in itertools.product(ALGOS, LAYOUTS, (0, 1), ("equal", "unequal")):
        p, kind = tensors(torch, case, steps)
        layer = Layer(cudnn, case, algo, [steps] * batch if lengths == "equal" else unequal, layout, padded)
        told = {"set": layer.set_status, "data": layer.data_status}
        if not layer.set_status and not layer.data_status:
            if algo == "persist_dynamic":
                told["build"] = cudnn.call("cudnnBuildRNNDynamic", layer.handle, layer.rnn, batch)
            told["sizes"], work, reserve = layer.sizes()
            weights = torch.zeros(layer.weight_size()[1], dtype=torch.uint8, device="cuda")
            if not told["sizes"]:
                work, reserve = layer.empty(work + 16), layer.empty(reserve + 16)
                told["forward"] = layer.forward(p, weights, work, reserve)
                if not told["forward"]:
                    told["backward"] = layer.backward(p, weights, torch.zeros_like(weights), work, reserve)
                torch.cuda.synchronize()
        row["lengths"][f"{algo} {layout} padded_io={padded} {lengths}"] = told
    return row


def run_alignment(case):
    """Tensors at aligned addresses, then all of them `shift` bytes further, weights excepted."""
    import torch
    cudnn = Cudnn()
    steps, algo = 32, case["algo"]
    row, results = dict(case, steps=steps), []
    layer = Layer(cudnn, case, algo, [steps] * case["batch"])
    if algo == "persist_dynamic":
        cudnn.call("cudnnBuildRNNDynamic", layer.handle, layer.rnn, case["batch"])
    status, work, reserve = layer.sizes()
    if status:
        return dict(row, sizes=status)
    for shift in (0, case["shift"]):
        p, kind = tensors(torch, case, steps, shift)
        torch.manual_seed(2)
        weights = (torch.randn(layer.weight_size()[1] // p["x"].element_size(), device="cuda") * case["units"] ** -0.5).to(kind).view(torch.uint8)
        dw = torch.zeros_like(weights)
        row["forward"] = layer.forward(p, weights, layer.empty(work), held := layer.empty(reserve))
        if row["forward"]:
            return row
        row["backward"] = layer.backward(p, weights, dw, layer.empty(work), held)
        torch.cuda.synchronize()
        results.append((p["y"].clone(), p["dx"].clone(), dw.view(kind)))
    row["equal_bits"] = all(torch.equal(x, y) for x, y in zip(*results))
    row["error"] = [error(x, y) for x, y in zip(results[1], results[0])]
    return row


def main():
    if sys.argv[1] == "--one":
        what, case = json.loads(sys.argv[2])
        print(json.dumps(globals()["run_" + what](case)))
        return
    import torch
    work = [("case", case) for case in cases()]
    some = [c for c in cases()][:21:4]
    work += [("lengths", case) for case in some]
    work += [("alignment", dict(case, algo=algo, shift=shift)) for case in some for algo in ALGOS for shift in (64, 16, 8, 4, 2)
             if case["data_type"] != "float" or shift > 2]
    with open(sys.argv[1], "w") as out:
        print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(), "date": time.strftime("%Y-%m-%d"),
                          "statuses": "of cuDNN: 0 success, 2000 bad parameter, 3000 not supported, 5000 execution failed"}), file=out)
        running = []
        while work or running:
            while work and len(running) < 8:
                each = work.pop(0)
                running.append((each, subprocess.Popen([sys.executable, __file__, "--one", json.dumps(each)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)))
            each, process = running.pop(0)
            try:
                text, problem = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                text, problem = process.communicate()
                problem = "timed out " + problem
            why = next((line for line in problem.splitlines() if "Error" in line), problem[-200:])
            row = dict(json.loads(text), what=each[0]) if process.returncode == 0 else dict(each[1], what=each[0], died=process.returncode, why=why)
            print(json.dumps(row), file=out, flush=True)


if __name__ == "__main__":
    main()
