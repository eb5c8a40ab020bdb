"""The layer in another floating-point type than the model around it."""
import torch


class _DataType:
    """Calls in compute_type; parameters, input and results keep their own type, and gradients come back in it."""

    compute_type = None

    def _call(self, x, batch_sizes, states, weights, layers, dropout, bidirectional):
        own, other = x.dtype, self.compute_type
        if other is None or other == own:
            return super()._call(x, batch_sizes, states, weights, layers, dropout, bidirectional)
        if other == torch.float16 and own == torch.float32 and x.is_cuda and torch.backends.cudnn.enabled:
            with torch.autocast("cuda", dtype=other):  # casts all weights into one chunk
                y, ends = super()._call(x, batch_sizes, states, weights, layers, dropout, bidirectional)
        else:
            start = tuple(state.to(other) for state in states)
            y, ends = super()._call(x.to(other), batch_sizes, start, [w.to(other) for w in weights], layers, dropout, bidirectional)
        return y.to(own), tuple(end.to(own) for end in ends)
