"""Callbacks: which steps are recorded, on which rank, and that a training never ends because of them."""

import sys
import types

import pytest

import rnnadvisor
from rnnadvisor import callbacks


class Block:
    """In place of profile(): notes which step it was begun and ended at."""

    started, stopped, now = [], [], 0
    error = None

    def __init__(self, output):
        self.path = output
        self.findings = types.SimpleNamespace(headline="2 warnings")

    def start(self):
        if Block.error:
            raise Block.error
        Block.started.append(Block.now)

    def stop(self):
        Block.stopped.append(Block.now)


@pytest.fixture(autouse=True)
def blocks(monkeypatch):
    Block.started, Block.stopped, Block.now, Block.error = [], [], 0, None
    monkeypatch.setattr(callbacks, "profile", Block)
    for name in ("RANK", "SLURM_PROCID"):
        monkeypatch.delenv(name, raising=False)


def train(recorder, steps):
    for Block.now in range(1, steps + 1):
        recorder.step(Block.now)
    Block.now = "end"
    recorder.end()


@pytest.mark.parametrize(
    "first, last, steps, started, stopped",
    [(3, 5, 10, [3], [6]), (1, 1, 10, [1], [2]), (3, 5, 4, [3], ["end"]), (3, 5, 5, [3], ["end"]), (3, 5, 2, [], [])],
)
def test_steps_first_to_last_are_recorded_once(first, last, steps, started, stopped):
    seen = []
    recorder = callbacks.StepRecorder(first, last, report=seen.append)
    train(recorder, steps)
    train(recorder, steps)
    assert (Block.started, Block.stopped) == (started * (2 if not started else 1), stopped)
    assert len(seen) == len(started)


def test_other_ranks_record_nothing(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    train(callbacks.StepRecorder(1, 2), 5)
    assert Block.started == []


def test_a_process_without_the_plugin_trains_and_is_told_once():
    Block.error = rnnadvisor.NotRecorded("python -m rnnadvisor profile")
    with pytest.warns(UserWarning, match="python -m rnnadvisor profile") as warned:
        train(callbacks.StepRecorder(1, 3), 5)
    assert len(warned) == 1


def test_steps_are_checked():
    with pytest.raises(ValueError):
        callbacks.StepRecorder(5, 4)


def test_lightning(monkeypatch):
    class Callback:
        pass

    monkeypatch.setitem(sys.modules, "lightning", types.ModuleType("lightning"))
    monkeypatch.setitem(sys.modules, "lightning.pytorch", types.SimpleNamespace(Callback=Callback))
    callback = callbacks.lightning_callback(2, 3, "run.rnnprof")
    assert isinstance(callback, Callback)
    for epoch in range(2):  # steps are counted over epochs
        for batch in range(2):
            Block.now = (epoch, batch)
            callback.on_train_batch_start(None, None, None, batch)
    callback.on_train_end(None, None)
    assert (Block.started, Block.stopped) == ([(0, 1)], [(1, 1)])


def test_hugging_face(monkeypatch):
    class TrainerCallback:
        pass

    monkeypatch.setitem(sys.modules, "transformers", types.SimpleNamespace(TrainerCallback=TrainerCallback))
    callback = callbacks.trainer_callback(2, 3)
    assert isinstance(callback, TrainerCallback)
    for step in range(3):
        Block.now = step + 1
        callback.on_step_begin(None, types.SimpleNamespace(global_step=step), None)
    callback.on_train_end(None, None, None)
    assert (Block.started, Block.stopped) == ([2], [3])
