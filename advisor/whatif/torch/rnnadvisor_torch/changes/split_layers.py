"""A stack as one call per layer."""
import torch


class _SplitLayers:
    """One call per layer, dropout between them."""

    def _pieces(self):
        count = 2 if self.bidirectional else 1
        groups = self.all_weights
        return [(groups[layer * count:(layer + 1) * count], self._inputs(layer), self.bidirectional)
                for layer in range(self.num_layers)]

    def _sequence(self, x, batch_sizes, states):
        count, ends = 2 if self.bidirectional else 1, []
        for layer, (groups, _, _) in enumerate(self._pieces()):
            start = tuple(state[layer * count:(layer + 1) * count] for state in states)
            x, end = self._call(x, batch_sizes, start, [w for group in groups for w in group], 1, 0.0, self.bidirectional)
            x = self._between(x, layer)
            ends.append(end)
        return x, tuple(torch.cat(parts) for parts in zip(*ends))
