"""Stands in for pyrallis: the dataclass of the function's one argument, with --NAME VALUE of the command line."""
import sys
import typing


def wrap():
    def decorator(program):
        def run():
            values = dict(zip((word[2:] for word in sys.argv[1::2]), sys.argv[2::2]))
            kind = typing.get_type_hints(program)["config"]
            kinds = typing.get_type_hints(kind)
            return program(kind(**{name: kinds[name](value) for name, value in values.items()}))
        return run
    return decorator
