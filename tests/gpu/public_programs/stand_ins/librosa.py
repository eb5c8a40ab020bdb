"""Stands in for librosa: sound is read from raw 16-bit files, whatever their names and rates; spectra by NumPy, with a triangular filter bank."""
import types

import numpy


def load(path, sr=None, **options):
    return numpy.fromfile(path, "int16").astype("float32") / 32768, sr


def stft(y, n_fft=2048, hop_length=512, win_length=None, window="hann", **options):
    width = win_length or n_fft
    shape = numpy.zeros(n_fft)
    shape[(n_fft - width) // 2:][:width] = numpy.hanning(width)
    padded = numpy.pad(y, n_fft // 2)
    frames = numpy.lib.stride_tricks.sliding_window_view(padded, n_fft)[::hop_length]
    return numpy.fft.rfft(frames * shape).T


def mel(sr=22050, n_fft=2048, n_mels=128, *bounds, **options):
    centres, bins = numpy.linspace(0, n_fft // 2, n_mels + 2)[1:-1], numpy.arange(n_fft // 2 + 1)
    return numpy.maximum(0, 1 - numpy.abs(bins - centres[:, None]) * n_mels / n_fft)


core = types.SimpleNamespace(stft=stft)
filters = types.SimpleNamespace(mel=mel)
