"""Stands in for torchaudio: sound is read from raw 16-bit stereo files of 44.1 kHz, whatever their names."""
import os
import types

import numpy
import torch


def set_audio_backend(name):
    pass


def get_audio_backend():
    return "soundfile"


def info(path):
    return types.SimpleNamespace(sample_rate=44100, num_frames=os.path.getsize(path) // 4, num_channels=2)


def load(path, num_frames=-1, frame_offset=0):
    read = numpy.fromfile(path, "int16", 2 * num_frames if num_frames > 0 else -1, offset=4 * frame_offset)
    return torch.from_numpy(read.reshape(-1, 2).T.astype("float32") / 32768), 44100
