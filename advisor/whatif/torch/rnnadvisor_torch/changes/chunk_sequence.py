"""The sequence in pieces."""
import torch


class _ChunkSequence:
    """At most steps_per_call time steps per call, h and c handed on, gradients too. One direction only."""

    steps_per_call = 1

    def _sequence(self, x, batch_sizes, states):
        steps = x.size(0) if batch_sizes is None else len(batch_sizes)
        if self.bidirectional or steps <= self.steps_per_call:
            return super()._sequence(x, batch_sizes, states)
        outputs, ended, at = [], [], 0
        for begin in range(0, steps, self.steps_per_call):
            if batch_sizes is None:
                y, states = super()._sequence(x[begin:begin + self.steps_per_call], None, states)
            else:
                sizes = batch_sizes[begin:begin + self.steps_per_call]
                rows, length = int(sizes[0]), int(sizes.sum())
                if rows < states[0].size(1):  # sequences that have ended keep their state
                    ended.append(tuple(state[:, rows:] for state in states))
                    states = tuple(state[:, :rows] for state in states)
                y, states = super()._sequence(x[at:at + length], sizes, states)
                at += length
            outputs.append(y)
        ends = [states] + ended[::-1]
        return torch.cat(outputs), tuple(torch.cat(parts, dim=1) for parts in zip(*ends))
