"""The tests take the package from an installed wheel, or from python/ with a built command in RNNADVISOR_PROGRAM."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rnnadvisor._program import program

SOURCE = Path(__file__).resolve().parents[2]


@pytest.fixture
def sample():
    return SOURCE / "samples" / "recorded" / "planted-failures.rnnprof"


@pytest.fixture
def keras_file():
    return SOURCE / "tests" / "data" / "saved_models" / "bidirectional.keras"


@pytest.fixture
def python(tmp_path):
    """Runs this interpreter in an empty folder, with the package where this one has it."""
    import rnnadvisor

    def run(*arguments, **variables):
        environment = dict(os.environ, PYTHONPATH=str(Path(rnnadvisor.__file__).parents[1]), **variables)
        return subprocess.run([sys.executable, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True)

    return run


@pytest.fixture
def plugin(tmp_path):
    """Skips where the build has no plugin."""
    told = subprocess.run([program(), "env", "--folder", tmp_path / "spool"], capture_output=True, text=True)
    if "built without CUDA" in told.stderr:
        pytest.skip("this build has no plugin: it was built without CUDA")
    assert told.returncode == 0, told.stderr


@pytest.fixture
def standin(plugin):
    """The folder with a stand-in for cuDNN, which programs call in place of the real one without a GPU."""
    folder = os.environ.get("RNNADVISOR_TEST_STANDIN", "")
    if not os.path.exists(os.path.join(folder, "libcudnn.so.9")):
        pytest.skip("no stand-in for cuDNN in RNNADVISOR_TEST_STANDIN")
    return {"STANDIN_FOLDER": folder, "LD_LIBRARY_PATH": folder, "CALL_SITE": str(SOURCE / "tests" / "profiler" / "plugin")}
