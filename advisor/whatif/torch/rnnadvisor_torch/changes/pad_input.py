"""A wider input than the model has, without effect."""
import torch


class _PadInput:
    """Calls with the input width rounded up: new columns of zero, met by weights of zero."""

    input_multiple = 1

    def _call(self, x, batch_sizes, states, weights, layers, dropout, bidirectional):
        more = -x.size(-1) % self.input_multiple
        if more:
            directions = 2 if bidirectional else 1
            each = len(weights) // (layers * directions)
            first = {direction * each for direction in range(directions)}  # weight_ih of the lowest layer
            x = torch.nn.functional.pad(x, (0, more))
            weights = [torch.nn.functional.pad(w, (0, more)) if at in first else w for at, w in enumerate(weights)]
        return super()._call(x, batch_sizes, states, weights, layers, dropout, bidirectional)
