"""Validation loss as in PyTorch's example of a language model, in float: batch 10, 35 words at a time, the state handed on, each loss asked for at once."""
import torch
from torch import nn
from steps import fed, run

VOCABULARY, UNITS, LAYERS, DROPOUT, BATCH, LENGTH, CHUNKS = 10000, 200, 2, 0.2, 10, 35, 12


class LanguageModel(nn.Module):
    def __init__(self, units, split):
        super().__init__()
        self.drop, self.embedding = nn.Dropout(DROPOUT), nn.Embedding(VOCABULARY, units)
        if split:
            self.layers = nn.ModuleList(nn.LSTM(units, units) for _ in range(LAYERS))
        else:
            self.layers = nn.ModuleList([nn.LSTM(units, units, LAYERS, dropout=DROPOUT)])
        self.decoder = nn.Linear(units, VOCABULARY)

    def start(self, batch):
        return [tuple(next(self.parameters()).new_zeros(layer.num_layers, batch, layer.hidden_size) for _ in "hc") for layer in self.layers]

    def forward(self, words, states):
        x, after = self.drop(self.embedding(words)), []
        for number, layer in enumerate(self.layers):
            x, state = layer(self.drop(x) if number else x, states[number])
            after.append(state)
        return self.decoder(self.drop(x)), after


def chunk_recorded(model, shape):
    """One chunk as a CUDA graph; the state stays where it is, and start() clears it."""
    words, targets, states = (*(torch.zeros(shape, dtype=torch.long, device="cuda") for _ in range(2)), model.start(shape[1]))

    def chunk():
        logits, after = model(words, states)
        for held, new in zip(states, after):
            for place, value in zip(held, new):
                place.copy_(value)
        return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                chunk()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            loss = chunk()

    def replay(given, wanted, _):
        words.copy_(given)
        targets.copy_(wanted)
        graph.replay()
        return loss, states

    def start(_):
        for state in states:
            for place in state:
                place.zero_()
        return states
    return replay, start


def evaluation(units=UNITS, split=False, rows=BATCH, length=LENGTH, mode=torch.no_grad, late=False, recorded=False, kind=torch.float):
    model = LanguageModel(units, split).cuda().to(kind).eval()
    text = torch.randint(VOCABULARY, (CHUNKS * LENGTH + 1, BATCH), device="cuda")

    def chunk(words, targets, states):
        given = nn.functional.pad(words, (0, rows - BATCH)) if rows > BATCH else words
        logits, states = model(given, states)
        return nn.functional.cross_entropy(logits[:, :BATCH].float().flatten(0, 1), targets.flatten()), states

    start = model.start
    if recorded:
        chunk, start = chunk_recorded(model, (length, BATCH))

    def evaluate():
        total = 0.0
        with mode():
            states = start(rows)
            for begin in range(0, len(text) - 1, length):
                words, targets = text[begin:begin + length], text[begin + 1:begin + 1 + length]
                loss, states = chunk(words, targets, states)
                total += len(words) * (loss if late else loss.item())
        return total / (len(text) - 1)
    return fed(evaluate, [()])


def variants():
    return {"as written": evaluation,
            "losses added up on the GPU": lambda: evaluation(late=True),
            "the whole text in one call": lambda: evaluation(length=CHUNKS * LENGTH),
            "inference_mode()": lambda: evaluation(mode=torch.inference_mode),
            "one module per layer": lambda: evaluation(split=True),
            "224 units": lambda: evaluation(units=224),
            "256 units": lambda: evaluation(units=256),
            "padded to 12 rows": lambda: evaluation(rows=12),
            "padded to 16 rows": lambda: evaluation(rows=16),
            "padded to 32 rows": lambda: evaluation(rows=32),
            "padded to 64 rows": lambda: evaluation(rows=64),
            "half": lambda: evaluation(kind=torch.half),
            "CUDA graph of a chunk": lambda: evaluation(recorded=True)}


if __name__ == "__main__":
    run(variants()["as written"]())
