#!/usr/bin/env python3
"""Runs the recurrent tests of PyTorch's own test_nn.py and prints one line of JSON for each: its name and what became of it.

usage: run_tests.py PATH/test/test_nn.py [--pattern REGEX]

The test file may be of another release than the installed PyTorch: what it imports and does not find becomes a decorator that skips,
and is named in the first line. Run it alone and under `rnnadvisor profile`, then compare with compare_tests.py.
"""
import argparse
import ast
import importlib
import json
import os
import re
import sys
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("test_file")
parser.add_argument("--pattern", default=r"rnn|lstm|gru", help="which tests, by name, in any case")
options = parser.parse_args()

missing = []


class Missing:
    """Stands for a name that this PyTorch does not have: as a decorator it skips, as a condition it is false."""

    def __init__(self, name):
        self.name = name

    def __call__(self, *arguments, **names):
        if len(arguments) == 1 and callable(arguments[0]) and not names:
            return unittest.skip(f"this PyTorch has no {self.name}")(arguments[0])
        return self

    def __getattr__(self, name):
        return Missing(f"{self.name}.{name}")

    def __bool__(self):
        return False

    def __iter__(self):
        return iter(())

    def __add__(self, other):
        return other

    __radd__ = __add__


class MissingModule(type(sys)):
    """Stands for a package that is not installed here, such as expecttest or hypothesis."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "TestCase":
            return unittest.TestCase
        return Missing(f"{self.__name__}.{name}")


def find(name):
    """The module of that name. What it imports and is not installed is replaced; None: PyTorch has no such module."""
    for _ in range(20):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            absent = error.name or name
            if absent.split(".")[0] == "torch" or absent in sys.modules:
                return None
            for end in range(1, absent.count(".") + 2):
                package = ".".join(absent.split(".")[:end])
                sys.modules.setdefault(package, MissingModule(package)).__path__ = []
            missing.append(absent)
        except ImportError:
            return None
    return None


class Imports(ast.NodeTransformer):
    def visit_ImportFrom(self, node):
        module = find(node.module)
        kept, stubs = [], []
        for alias in node.names:
            if module is not None and (hasattr(module, alias.name) or alias.name == "*"):
                kept.append(alias)
            else:
                missing.append(f"{node.module}.{alias.name}")
                stubs.append(ast.parse(f"{alias.asname or alias.name} = _Missing({alias.name!r})").body[0])
        result = [ast.ImportFrom(node.module, kept, node.level)] if kept else []
        return [ast.copy_location(each, node) for each in result + stubs]

    def visit_Import(self, node):
        result = []
        for alias in node.names:
            if find(alias.name) is not None:
                result.append(ast.Import([alias]))
            else:
                missing.append(alias.name)
                result += ast.parse(f"{alias.asname or alias.name.split('.')[0]} = _Missing({alias.name!r})").body
        return [ast.copy_location(each, node) for each in result]


sys.path.insert(0, os.path.dirname(os.path.abspath(options.test_file)))
with open(options.test_file) as file:
    tree = ast.fix_missing_locations(Imports().visit(ast.parse(file.read(), options.test_file)))
module = type(sys)("test_nn")
module.__file__ = os.path.abspath(options.test_file)
module.__dict__["_Missing"] = Missing
sys.modules["test_nn"] = module
sys.argv = [options.test_file]
exec(compile(tree, options.test_file, "exec"), module.__dict__)

import torch  # noqa: E402  (after the test file chose its own settings)


class Result(unittest.TestResult):
    def say(self, test, outcome, text=""):
        lines = [line for line in text.strip().splitlines() if line.strip()]
        print(json.dumps({"test": test.id(), "outcome": outcome, "text": lines[-1][:300] if lines else ""}), flush=True)

    def addSuccess(self, test):
        self.say(test, "passed")

    def addFailure(self, test, error):
        self.say(test, "failed", self._exc_info_to_string(error, test))

    def addError(self, test, error):
        self.say(test, "error", self._exc_info_to_string(error, test))

    def addSkip(self, test, reason):
        self.say(test, "skipped", reason)

    def addExpectedFailure(self, test, error):
        self.say(test, "expected failure")

    def addUnexpectedSuccess(self, test):
        self.say(test, "unexpected success")


def each(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from each(test)
        else:
            yield test


wanted = re.compile(options.pattern, re.IGNORECASE)
tests = sorted((t for t in each(unittest.defaultTestLoader.loadTestsFromModule(module)) if wanted.search(t.id().split(".")[-1])),
               key=lambda t: t.id())
print(json.dumps({"file": os.path.basename(options.test_file), "torch": torch.__version__, "cudnn": torch.backends.cudnn.version(),
                  "gpu": torch.cuda.get_device_name() if torch.cuda.is_available() else None, "tests": len(tests), "not_in_this_pytorch": sorted(set(missing))}), flush=True)
result = Result()
for test in tests:
    test.run(result)
