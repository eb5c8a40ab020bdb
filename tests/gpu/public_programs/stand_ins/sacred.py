"""Stands in for Sacred: the local variables of the function under `config` are the arguments of the one under `automain`."""
import sys


class Experiment:
    def __init__(self, name):
        self.values, self.observers, self.current_run = {}, [], None

    def config(self, function):
        def kept(frame, event, argument):
            if event == "return" and frame.f_code is function.__code__:
                self.values.update(frame.f_locals)
        sys.setprofile(kept)
        try:
            function()
        finally:
            sys.setprofile(None)
        return function

    def automain(self, function):
        if function.__module__ == "__main__":
            function(**self.values)
        return function
