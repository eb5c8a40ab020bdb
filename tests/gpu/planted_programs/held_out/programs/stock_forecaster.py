"""Tomorrow's price from the last 60 days, as in many notebooks: one feature, two layers of 50 units, batch 1024, float."""
import torch
from torch import nn
from steps import fed, graphed, run

FEATURES, UNITS, LAYERS, DROPOUT, BATCH, LENGTH = 1, 50, 2, 0.2, 1024, 60


class Forecaster(nn.Module):
    def __init__(self, features, units, split, batch_first):
        super().__init__()
        self.batch_first, self.drop = batch_first, nn.Dropout(DROPOUT)
        if split:
            self.layers = nn.ModuleList(nn.LSTM(width, units, batch_first=batch_first) for width in (features, units))
        else:
            self.layers = nn.ModuleList([nn.LSTM(features, units, num_layers=LAYERS, dropout=DROPOUT, batch_first=batch_first)])
        self.head = nn.Linear(units, 1)

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            rows = x.shape[0 if self.batch_first else 1]
            h = torch.zeros(layer.num_layers, rows, layer.hidden_size, device=x.device, dtype=x.dtype)
            c = torch.zeros(layer.num_layers, rows, layer.hidden_size, device=x.device, dtype=x.dtype)
            x, _ = layer(self.drop(x) if number else x, (h, c))
        return self.head(x[:, -1] if self.batch_first else x[-1])


def training(features=FEATURES, units=UNITS, split=False, batch_first=True, rows=BATCH, kind=torch.float, recorded=False):
    model = Forecaster(features, units, split, batch_first).cuda().to(kind)
    optimizer = torch.optim.Adam(model.parameters(), capturable=recorded, eps=1e-8 if kind == torch.float else 1e-4)
    shape = (BATCH, LENGTH) if batch_first else (LENGTH, BATCH)
    windows = torch.rand(4, *shape, FEATURES, device="cuda", dtype=kind)
    prices = torch.rand(4, BATCH, 1, device="cuda")

    def step(window, price):
        if features > FEATURES:
            window = nn.functional.pad(window, (0, features - FEATURES))
        optimizer.zero_grad()
        for x, wanted in zip(window.split(rows, dim=0 if batch_first else 1), price.split(rows)):
            loss = nn.functional.mse_loss(model(x).float(), wanted) * (rows / BATCH)
            loss.backward()
        optimizer.step()
        return loss
    return step, list(zip(windows, prices))


def variants():
    return {"as written": lambda: fed(*training()),
            "one module per layer": lambda: fed(*training(split=True)),
            "time first": lambda: fed(*training(batch_first=False)),
            "52 units": lambda: fed(*training(units=52)),
            "56 units": lambda: fed(*training(units=56)),
            "64 units": lambda: fed(*training(units=64)),
            "128 units": lambda: fed(*training(units=128)),
            "padded to 4 features": lambda: fed(*training(features=4)),
            "padded to 8 features": lambda: fed(*training(features=8)),
            "padded to 32 features": lambda: fed(*training(features=32)),
            "rows of 256": lambda: fed(*training(rows=256)),
            "half": lambda: fed(*training(kind=torch.half)),
            "CUDA graph": lambda: graphed(*training(recorded=True))}


if __name__ == "__main__":
    run(variants()["as written"]())
