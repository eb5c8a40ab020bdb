"""What every changed layer has in common. emit.py pastes the class below in front of the changes that it serves."""
import torch
from torch.nn.utils.rnn import PackedSequence


class _Recurrence:
    """forward() of nn.LSTM, GRU and RNN, cut into steps that a change can replace: _sequence() and _call().

    In them x is (time, batch, features), or the data of a PackedSequence where batch_sizes is given, and
    states are the tuple (h,) or (h, c). Parameters are nn.LSTM's own: same names, shapes and state dict.
    """

    def forward(self, input, hx=None):
        packed = isinstance(input, PackedSequence)
        if packed:
            x, batch_sizes, order, back = input
            batched, rows = True, int(batch_sizes[0])
        else:
            x, batch_sizes, order, back = input, None, None, None
            if x.dim() not in (2, 3):
                raise RuntimeError("input must have 2 or 3 dimensions, not {}".format(x.dim()))
            batched, axis = x.dim() == 3, 0 if self.batch_first else 1
            x = x if batched else x.unsqueeze(axis)
            rows = x.size(axis)
        lstm = self.mode == "LSTM"
        if hx is None:
            count = self.num_layers * (2 if self.bidirectional else 1)
            states = (torch.zeros(count, rows, self.proj_size or self.hidden_size, dtype=x.dtype, device=x.device),)
            if lstm:
                states += (torch.zeros(count, rows, self.hidden_size, dtype=x.dtype, device=x.device),)
        else:
            states = tuple(hx) if lstm else (hx,)
            if any(state.dim() != (3 if batched else 2) for state in states):
                raise RuntimeError("hx must have {} dimensions for this input".format(3 if batched else 2))
            states = states if batched else tuple(state.unsqueeze(1) for state in states)
            states = self._reordered(states, order)
        self.check_forward_args(x, states if lstm else states[0], batch_sizes)
        turned = self.batch_first and not packed
        y, states = self._sequence(x.transpose(0, 1) if turned else x, batch_sizes, states)
        # As PyTorch's own layers return them: a program may view() them, or hand them to such a layer.
        y, states = y.contiguous(), tuple(state.contiguous() for state in states)
        y = y.transpose(0, 1) if turned else y
        states = self._reordered(states, back)
        if packed:
            y = PackedSequence(y, batch_sizes, order, back)
        elif not batched:
            y, states = y.squeeze(axis), tuple(state.squeeze(1) for state in states)
        return y, (states if lstm else states[0])

    @staticmethod
    def _reordered(states, order):
        return states if order is None else tuple(state.index_select(1, order) for state in states)

    def _sequence(self, x, batch_sizes, states):
        weights = [weight for group in self.all_weights for weight in group]
        return self._call(x, batch_sizes, states, weights, self.num_layers, self.dropout, self.bidirectional)

    def _call(self, x, batch_sizes, states, weights, layers, dropout, bidirectional):
        """One call of PyTorch's fused layer, which is one call of cuDNN where cuDNN is used."""
        fused = {"LSTM": torch.lstm, "GRU": torch.gru, "RNN_TANH": torch.rnn_tanh, "RNN_RELU": torch.rnn_relu}[self.mode]
        start = states if self.mode == "LSTM" else states[0]
        rest = (list(weights), self.bias, layers, dropout, self.training, bidirectional)
        if batch_sizes is None:
            y, *states = fused(x, start, *rest, False)
        else:
            y, *states = fused(x, batch_sizes, start, *rest)
        return y, tuple(states)
