"""The script `rnnadvisor` and `python -m rnnadvisor`: the command in place of the process."""

import subprocess
import sys

import pytest

import rnnadvisor
from rnnadvisor.__main__ import options_with_value, with_interpreter
from rnnadvisor._program import program


@pytest.mark.parametrize(
    "typed, started",
    [
        ("profile train.py --epochs 1", "profile -- PYTHON train.py --epochs 1"),
        ("profile -o run.rnnprof --quiet train.py -o x", "profile -o run.rnnprof --quiet -- PYTHON train.py -o x"),
        ("profile --mode=calls -- train.py", "profile --mode=calls -- PYTHON train.py"),
        ("accelerate --plan plan.py train.py", "accelerate --plan plan.py -- PYTHON train.py"),
        ("try --iterations 200 -m package.train 3", "try --iterations 200 -- PYTHON -m package.train 3"),
        ("profile -c pass", "profile -- PYTHON -c pass"),
        ("profile python3 train.py", "profile python3 train.py"),
        ("profile -- torchrun --nproc-per-node 2 train.py", "profile -- torchrun --nproc-per-node 2 train.py"),
        ("profile --help", "profile --help"),
        ("check train.py", "check train.py"),
        ("", ""),
    ],
)
def test_the_interpreter_comes_before_the_script(typed, started):
    assert with_interpreter(typed.split()) == started.replace("PYTHON", sys.executable).split()


@pytest.mark.parametrize("command", ["profile", "accelerate", "try"])
def test_options_that_take_a_value_are_those_of_the_help(command):
    valued = options_with_value(command)
    assert {"--env", "--output", "-o", "--progress"} <= valued
    assert not {"--help", "-h", "--quiet", "-q", "--force"} & valued
    # The command agrees: without its value it has nothing to read, which is another error than a program that is missing.
    for option in valued:
        told = subprocess.run([program(), command, option], capture_output=True, text=True)
        assert told.returncode == 2 and option.lstrip("-") in told.stderr, (option, told.stderr)


def test_every_command_passes_through(python):
    ours = python("-m", "rnnadvisor", "check", "--cell", "lstm", "--device", "a100", "--format", "json", "--no-color")
    theirs = subprocess.run(
        [program(), "check", "--cell", "lstm", "--device", "a100", "--format", "json", "--no-color"], capture_output=True, text=True
    )
    assert ours.returncode == theirs.returncode == 0
    assert len(ours.stdout) == len(theirs.stdout) and '"findings"' in ours.stdout
    assert python("-m", "rnnadvisor", "no-such-command").returncode == 2
    assert python("-m", "rnnadvisor", "version").stdout.split()[1] == rnnadvisor.__version__


def test_a_script_is_started_with_the_variables_and_this_interpreter(python, tmp_path, plugin):
    script = tmp_path / "train.py"
    script.write_text("import os, sys\nprint(sys.executable, 'RNNADVISOR_SPOOL' in os.environ, *sys.argv[1:])\nsys.exit(7)\n")
    ended = python("-m", "rnnadvisor", "profile", "-o", "run.rnnprof", "train.py", "--epochs", "1")
    assert ended.stdout.split() == [sys.executable, "True", "--epochs", "1"]
    assert ended.returncode == 7 and (tmp_path / "run.rnnprof").exists()


def test_a_package_without_the_command_says_what_to_do(python):
    ended = python("-m", "rnnadvisor", "version", RNNADVISOR_PROGRAM="/no/such/file")
    assert ended.returncode == 1 and "RNNADVISOR_PROGRAM" in ended.stderr and "Traceback" not in ended.stderr


def test_starting_the_command_imports_little(python):
    ended = python("-c", "import sys, rnnadvisor.__main__; print(*sys.modules)")
    assert not {"sqlite3", "ctypes", "torch"} & set(ended.stdout.split())


def test_all_names_are_there():
    for name in rnnadvisor.__all__:
        assert getattr(rnnadvisor, name) is not None
    with pytest.raises(AttributeError):
        rnnadvisor.no_such_name
