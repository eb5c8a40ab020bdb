"""More sequences than the batch has, without effect."""
import torch


class _PadBatch:
    """Batches rounded up with sequences of zero, which are cut off again. A PackedSequence stays as it is."""

    batch_multiple = 1

    def _sequence(self, x, batch_sizes, states):
        rows = states[0].size(1)
        more = -rows % self.batch_multiple
        if more == 0 or batch_sizes is not None:
            return super()._sequence(x, batch_sizes, states)
        pad = torch.nn.functional.pad
        y, ends = super()._sequence(pad(x, (0, 0, 0, more)), None, tuple(pad(state, (0, 0, 0, more)) for state in states))
        return y[:, :rows], tuple(end[:, :rows] for end in ends)
