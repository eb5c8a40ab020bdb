"""`%%rnnadvisor`: records a cell of a notebook."""

from __future__ import annotations

from typing import Any

from ._profile import profile


def register(ipython: Any) -> None:
    def rnnadvisor(line: str, cell: str) -> Any:
        """%%rnnadvisor [FILE]: records this cell, into FILE where it is given, and shows what to change."""
        block = profile(line.strip() or None)
        with block:
            result = ipython.run_cell(cell)
        result.raise_error()
        return block

    ipython.register_magic_function(rnnadvisor, "cell", "rnnadvisor")
