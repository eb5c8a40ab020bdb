"""The batch in pieces."""


class _LowerBatch:
    """At most rows_per_call sequences per call."""

    rows_per_call = 1

    def _sequence(self, x, batch_sizes, states):
        rows = states[0].size(1)
        if rows <= self.rows_per_call:
            return super()._sequence(x, batch_sizes, states)
        return self._grouped(x, batch_sizes, states, list(range(0, rows, self.rows_per_call)) + [rows])
