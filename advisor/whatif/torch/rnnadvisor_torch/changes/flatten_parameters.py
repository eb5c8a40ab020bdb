"""Weights back in one chunk of memory after something has moved them."""


class _FlattenParameters:
    """Flattens the weights again whenever one of them has moved, instead of a copy of all at every call."""

    def forward(self, input, hx=None):
        places = [weight.data_ptr() for group in self.all_weights for weight in group]
        if places != self.__dict__.get("_flat_places"):
            self.flatten_parameters()
            self.__dict__["_flat_places"] = [weight.data_ptr() for group in self.all_weights for weight in group]
        return super().forward(input, hx)
