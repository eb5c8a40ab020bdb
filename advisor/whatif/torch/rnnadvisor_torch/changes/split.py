"""Stacks and directions as calls of their own, with weights that lie in memory as those calls need them."""
import torch


class _Split:
    """Each call's weights as one chunk of memory, which cuDNN would otherwise make of copies at every call."""

    def flatten_parameters(self):
        for groups, inputs, bidirectional in self._pieces():
            weights = [weight for group in groups for weight in group]
            if not all(isinstance(weight, torch.nn.Parameter) and weight.is_cuda for weight in weights):
                return
            kind = {"LSTM": torch.nn.LSTM, "GRU": torch.nn.GRU}.get(self.mode, torch.nn.RNN)
            options = {"nonlinearity": "relu"} if self.mode == "RNN_RELU" else {}
            if self.proj_size:
                options["proj_size"] = self.proj_size
            piece = kind(inputs, self.hidden_size, bias=self.bias, bidirectional=bidirectional, device="meta", **options)
            for (name, _), weight in zip(list(piece.named_parameters()), weights):
                setattr(piece, name, weight)  # the same Parameter: it is moved within memory, not copied
            piece.flatten_parameters()

    def _inputs(self, layer):
        return self.input_size if layer == 0 else (self.proj_size or self.hidden_size) * (2 if self.bidirectional else 1)

    def _between(self, y, layer):
        last = layer + 1 == self.num_layers
        return y if last or not self.training or not self.dropout else torch.nn.functional.dropout(y, self.dropout)
