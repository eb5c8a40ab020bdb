"""Stands in for colortimelog: prints what is as important as asked for."""


class Logger:
    def __init__(self, verbosity):
        self.verbosity = verbosity

    def print(self, level, message):
        if level <= self.verbosity:
            print(message, flush=True)
