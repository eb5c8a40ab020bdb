"""The sequences of a batch in groups."""
import torch


class _Rows:
    """Runs groups of sequences after each other. A group of packed sequences of one length is a plain tensor."""

    def _grouped(self, x, batch_sizes, states, edges):
        outputs, ends, taken = [], [], []
        if batch_sizes is not None:
            starts = batch_sizes.cumsum(0) - batch_sizes
            step = torch.repeat_interleave(torch.arange(len(batch_sizes)), batch_sizes)
            row = torch.arange(len(step)) - starts[step]
        for begin, end in zip(edges[:-1], edges[1:]):
            start = tuple(state[:, begin:end] for state in states)
            if batch_sizes is None:
                y, last = super()._sequence(x[:, begin:end], None, start)
            else:
                places = ((row >= begin) & (row < end)).nonzero().flatten()
                sizes = (batch_sizes - begin).clamp(0, end - begin)
                sizes = sizes[sizes > 0]
                part = x.index_select(0, places.to(x.device))
                if int(sizes[0]) == int(sizes[-1]):
                    y, last = super()._sequence(part.view(len(sizes), end - begin, -1), None, start)
                    y = y.reshape(len(places), -1)
                else:
                    y, last = super()._sequence(part, sizes, start)
                taken.append(places)
            outputs.append(y)
            ends.append(last)
        ends = tuple(torch.cat(parts, dim=1) for parts in zip(*ends))
        if batch_sizes is None:
            return torch.cat(outputs, dim=1), ends
        back = torch.argsort(torch.cat(taken)).to(x.device)
        return torch.cat(outputs).index_select(0, back), ends
