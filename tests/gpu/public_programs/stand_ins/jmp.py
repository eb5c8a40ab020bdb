"""Stands in for jmp: no policy of precision is set."""


class Policy:
    pass
