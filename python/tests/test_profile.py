"""profile() and %%rnnadvisor: blocks of a process that calls a stand-in for cuDNN."""

import os

import pytest

import rnnadvisor
from rnnadvisor._profile import free_name

PROGRAM = """
import os, sys
sys.path.insert(0, os.environ["CALL_SITE"])
import call_site, rnnadvisor
rnn = call_site.Rnn(call_site.load(False))
def calls(n):
    for _ in range(n):
        rnn.forward()
"""


def test_a_process_without_the_plugin_says_how_to_start_it(monkeypatch):
    monkeypatch.delenv("RNNADVISOR_SPOOL", raising=False)
    with pytest.raises(rnnadvisor.NotRecorded, match="python -m rnnadvisor profile --capture-range cuda-profiler-api"):
        with rnnadvisor.profile():
            pytest.fail("the block runs, but nothing would record it")
    monkeypatch.setenv("RNNADVISOR_SPOOL", "/tmp")  # set too late: the plugin is not in the process
    with pytest.raises(rnnadvisor.NotRecorded):
        rnnadvisor.profile().start()


def run(python, tmp_path, standin, body, *options):
    (tmp_path / "train.py").write_text(PROGRAM + body)
    return python("-m", "rnnadvisor", "profile", "--mode", "calls", "-o", "run.rnnprof", *options, "train.py", **standin)


def count(path):
    with rnnadvisor.open(path) as recording:
        return len(recording.rows("calls"))


def test_only_the_block_is_recorded(python, tmp_path, standin):
    body = """
calls(3)
with rnnadvisor.profile() as p:
    calls(5)
calls(2)
print(p.path, len(p.open().rows("calls")), p.findings.headline)
print(os.environ["RNNADVISOR_SPOOL"] != "", file=sys.stderr)
"""
    ended = run(python, tmp_path, standin, body, "--capture-range", "cuda-profiler-api")
    assert ended.returncode == 0, ended.stderr
    path, number, headline = ended.stdout.split(maxsplit=2)
    assert number == "5" and path == str(tmp_path / "run-1.rnnprof") and headline.strip()
    assert count(path) == 5
    assert count(tmp_path / "run.rnnprof") == 5  # that of the whole run has the same block


def test_each_block_has_a_profile_of_its_own(python, tmp_path, standin):
    body = """
for n in (5, 2):
    with rnnadvisor.profile() as p:
        calls(n)
    calls(1)
with rnnadvisor.profile("named.rnnprof"):
    calls(4)
"""
    ended = run(python, tmp_path, standin, body, "--capture-range", "cuda-profiler-api")
    assert ended.returncode == 0, ended.stderr
    assert [count(tmp_path / name) for name in ("run-1.rnnprof", "run-2.rnnprof", "named.rnnprof")] == [5, 2, 4]


def test_an_error_in_the_block_ends_the_block(python, tmp_path, standin):
    body = """
try:
    with rnnadvisor.profile() as p:
        calls(5)
        raise KeyError("of the program")
except KeyError as error:
    print(error, len(p.open().rows("calls")))
calls(1)
"""
    ended = run(python, tmp_path, standin, body, "--capture-range", "cuda-profiler-api")
    assert ended.stdout.split("'")[1:] == ["of the program", " 5\n"], ended.stderr


def test_without_a_capture_range_the_rest_is_recorded_too(python, tmp_path, standin):
    body = "calls(3)\nwith rnnadvisor.profile() as p:\n    calls(5)\nprint(len(p.open().rows('calls')))\n"
    assert run(python, tmp_path, standin, body).stdout == "5\n"
    assert count(tmp_path / "run.rnnprof") == 8


def test_check_within_a_recorded_process_is_not_recorded(python, tmp_path, standin):
    before = sorted({*os.environ, "RNNADVISOR_PROGRAM", "RNNADVISOR_TEST_STANDIN"})
    body = f"""
from rnnadvisor._program import unrecorded_environment
left = set(unrecorded_environment()) - set({before})
print([name for name in left if "INJECTION" in name or name == "LD_PRELOAD" or name.startswith("RNNADVISOR_")])
calls(1)
"""
    assert run(python, tmp_path, standin, body).stdout == "[]\n"


def test_the_magic_records_a_cell(python, tmp_path, standin):
    body = """
class Shell:
    def register_magic_function(self, function, kind, name):
        self.magic = kind, name, function
    def run_cell(self, cell):
        exec(cell, globals())
        return self
    def raise_error(self):
        pass
shell = Shell()
rnnadvisor.load_ipython_extension(shell)
kind, name, magic = shell.magic
block = magic("cell.rnnprof", "calls(4)")
print(kind, name, len(block.open().rows("calls")), block.findings.headline in block._repr_html_())
"""
    ended = run(python, tmp_path, standin, body, "--capture-range", "cuda-profiler-api")
    assert ended.stdout == "cell rnnadvisor 4 True\n", ended.stderr
    assert count(tmp_path / "cell.rnnprof") == 4


def test_in_ipython_itself():
    interactive = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    interactive.run_line_magic("load_ext", "rnnadvisor")
    with pytest.raises(rnnadvisor.NotRecorded):
        interactive.run_cell_magic("rnnadvisor", "", "1 + 1")


def test_names_of_profiles(tmp_path):
    assert free_name(str(tmp_path / "run.rnnprof.spool-x3Yz1Q")) == tmp_path / "run-1.rnnprof"
    (tmp_path / "run-1.rnnprof").touch()
    assert free_name(str(tmp_path / "run.rnnprof.spool-x3Yz1Q")) == tmp_path / "run-2.rnnprof"
    assert free_name(str(tmp_path / "recording")) == tmp_path / "recording-1.rnnprof"
