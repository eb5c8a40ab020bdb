# Results of half recurrent layers in PyTorch against float64 without cuDNN; made the "pytorch" rows of small-h-results.json.
# usage: pytorch-small-h.py OUTPUT.jsonl SECONDS
import json, sys, time, torch
out = open(sys.argv[1], "w")
start = time.time()
limit = float(sys.argv[2])
CELLS = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU, "rnn_tanh": torch.nn.RNN}
def err(a, b):
    a, b = a.double(), b.double()
    return float((a - b).norm() / b.norm().clamp_min(1e-30))
def one(cell, units, inputs, batch, steps, bidirectional=False, layers=1, how="padded", dtype=torch.float16):
    torch.manual_seed(units)
    rnn = CELLS[cell](inputs, units, layers, bidirectional=bidirectional).cuda().to(dtype)
    ref = CELLS[cell](inputs, units, layers, bidirectional=bidirectional).cuda().double()
    ref.load_state_dict({k: v.double() for k, v in rnn.state_dict().items()})
    x = torch.randn(steps, batch, inputs, device="cuda", dtype=dtype)
    g = torch.randn(steps, batch, units * (2 if bidirectional else 1), device="cuda", dtype=dtype)
    xr = x.double().requires_grad_()
    with torch.backends.cudnn.flags(enabled=False):
        yr, _ = ref(xr); yr.backward(g.double())
    row = {"cell": cell, "units": units, "inputs": inputs, "batch": batch, "steps": steps, "bidirectional": bidirectional, "layers": layers, "how": how, "dtype": str(dtype)[6:]}
    with torch.no_grad():
        z = x
        if how == "packed": z = torch.nn.utils.rnn.pack_padded_sequence(x, torch.full((batch,), steps))
        y, _ = rnn(z)
        row["inference_y"] = err(y.data.view(steps, batch, -1), yr)
    xl = x.clone().requires_grad_()
    z = xl if how != "packed" else torch.nn.utils.rnn.pack_padded_sequence(xl, torch.full((batch,), steps))
    try:
        y, _ = rnn(z)
        flat = y.data if how == "packed" else y  # data of a PackedSequence has a gradient, that of a tensor has none
        row["y"] = err(flat.detach().view(steps, batch, -1), yr)
        flat.backward(g.reshape(flat.shape))
        row["dx"] = err(xl.grad, xr.grad)
        row["dw"] = max(err(p.grad, q.grad) for p, q in zip(rnn.parameters(), ref.parameters()))
    except RuntimeError as e:
        row["error"] = str(e)[:200]
    out.write(json.dumps(row) + "\n"); out.flush()
print(torch.__version__, torch.backends.cudnn.version(), torch.cuda.get_device_name())
# every size once, then what else could matter, at sizes of every kind
todo = []
for u in range(8, 193, 8): todo += [("lstm", u, u, 32, 16), ("gru", u, u, 32, 16)]
for u in range(8, 385, 8): todo += [("rnn_tanh", u, u, 32, 16)]
for u in (24, 40, 48, 72, 96, 104): 
    for c in CELLS:
        todo += [(c, u, 64, 32, 16), (c, u, u, 8, 16), (c, u, u, 5, 16), (c, u, u, 64, 16), (c, u, u, 32, 3), (c, u, u, 32, 64), (c, u, u, 32, 16, True), (c, u, u, 32, 16, False, 2)]
for u in (24, 40, 64, 72): 
    for c in CELLS: todo += [(c, u, u, 32, 16, False, 1, "packed"), (c, u, u, 32, 16, False, 1, "padded", torch.float32)]
for u in range(1, 193):
    if u % 8: todo += [("lstm", u, u, 32, 16), ("gru", u, u, 32, 16)]
for u in range(1, 385):
    if u % 8: todo += [("rnn_tanh", u, u, 32, 16)]
for t in todo:
    if time.time() - start > limit: print("stopped"); break
    one(*t)
print(len(todo), time.time() - start)
