"""A bidirectional stack as one call per layer and direction."""
import torch


class _SplitDirections:
    """One call per layer and direction; the second one sees each sequence from its end."""

    def _pieces(self):
        count = 2 if self.bidirectional else 1
        return [([group], self._inputs(at // count), False) for at, group in enumerate(self.all_weights)]

    def _sequence(self, x, batch_sizes, states):
        count, ends = 2 if self.bidirectional else 1, []
        turned = self._backwards(x, batch_sizes) if count == 2 else None
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(count):
                at = layer * count + direction
                start = tuple(state[at:at + 1] for state in states)
                seen = x if direction == 0 else self._turn(x, turned)
                y, end = self._call(seen, batch_sizes, start, self.all_weights[at], 1, 0.0, False)
                outputs.append(y if direction == 0 else self._turn(y, turned))
                ends.append(end)
            x = self._between(torch.cat(outputs, dim=-1) if count == 2 else outputs[0], layer)
        return x, tuple(torch.cat(parts) for parts in zip(*ends))

    @staticmethod
    def _backwards(x, batch_sizes):
        """Where each step of packed data stands when every sequence is read from its end; None for plain data."""
        if batch_sizes is None:
            return None
        starts = batch_sizes.cumsum(0) - batch_sizes
        step = torch.repeat_interleave(torch.arange(len(batch_sizes)), batch_sizes)
        row = torch.arange(len(step)) - starts[step]
        last = torch.bincount(row)[row] - 1  # of the sequence that the step belongs to
        return (starts[last - step] + row).to(x.device)

    @staticmethod
    def _turn(x, turned):
        return x.flip(0) if turned is None else x.index_select(0, turned)
