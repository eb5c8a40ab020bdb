"""More hidden units than the model has, without effect."""
import torch


class _PadHidden:
    """Calls with hidden_size rounded up. New units have zero weights and states: they stay zero and are cut off."""

    hidden_multiple = 1

    def _call(self, x, batch_sizes, states, weights, layers, dropout, bidirectional):
        more = -self.hidden_size % self.hidden_multiple
        if more == 0:
            return super()._call(x, batch_sizes, states, weights, layers, dropout, bidirectional)
        directions, units, pad = 2 if bidirectional else 1, self.hidden_size, torch.nn.functional.pad
        each = len(weights) // (layers * directions)
        plain = self.proj_size == 0  # then h is as wide as the layer
        wide = []
        for at, weight in enumerate(weights):
            layer, kind = at // (each * directions), at % each
            if self.proj_size and kind == each - 1:  # weight_hr
                wide.append(pad(weight, (0, more)))
                continue
            gates, shape = weight.size(0) // units, weight.shape[1:]
            if kind == 0 and layer > 0 and plain:  # reads the wide outputs of the layer below
                weight = pad(weight.reshape(gates, units, directions, units), (0, more, 0, 0, 0, more)).flatten(2)
            elif kind == 1 and plain:  # reads its own wide outputs
                weight = pad(weight.reshape(gates, units, units), (0, more, 0, more))
            else:
                weight = pad(weight.reshape(gates, units, *shape), (0, 0, 0, more) if shape else (0, more))
            wide.append(weight.flatten(0, 1))
        start = tuple(state if at == 0 and not plain else pad(state, (0, more)) for at, state in enumerate(states))
        y, ends = super()._call(x, batch_sizes, start, wide, layers, dropout, bidirectional)
        if plain:
            y = y.unflatten(-1, (directions, units + more))[..., :units].flatten(-2)
        return y, tuple(end[..., :units] for end in ends)  # a projected h is narrower, and stays whole
