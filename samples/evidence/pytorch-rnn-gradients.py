# Gradients of half-precision recurrent layers on cuDNN against float64 without cuDNN; made the "pytorch" lines of small-h-gradients.json.
import torch

print(torch.__version__, torch.backends.cudnn.version(), torch.cuda.get_device_name())


def run(cell, bidir, dtype, H, B, T, cudnn):
    torch.manual_seed(7)
    m = getattr(torch.nn, cell)(32, H, bidirectional=bidir).cuda().to(torch.float64)
    x = torch.randn(T, B, 32, dtype=torch.float64, device="cuda")
    g = torch.randn(T, B, H * (2 if bidir else 1), dtype=torch.float64, device="cuda")
    m = m.to(dtype)
    x = x.to(dtype).requires_grad_()
    with torch.backends.cudnn.flags(enabled=cudnn):
        y, _ = m(x)
        y.backward(g.to(dtype))
    return y.double(), x.grad.double(), m.weight_hh_l0.grad.double()


for cell in ["RNN", "LSTM", "GRU"]:
    for bidir in [False, True]:
        for H in [64, 128, 256]:
            for B in [8, 16, 33, 64]:
                if cell != "RNN" and H == 256:
                    continue
                a = run(cell, bidir, torch.float16, H, B, 20, True)
                b = run(cell, bidir, torch.float64, H, B, 20, False)
                e = [((p - q).norm() / q.norm()).item() for p, q in zip(a, b)]
                if max(e) > 0.02 or (H == 64 and B == 8):
                    print(f"{cell} bidirectional={bidir} half H={H} B={B}: y {e[0]:.4f} dx {e[1]:.4f} dw_hh {e[2]:.4f}")
