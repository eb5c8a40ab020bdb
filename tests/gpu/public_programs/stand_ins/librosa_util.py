"""Stands in for librosa.util: as much as a short-time Fourier transform needs before training."""
import numpy


def pad_center(data, size):
    before = (size - len(data)) // 2
    return numpy.pad(data, (before, size - len(data) - before))


def normalize(data, norm=None):
    return data


def tiny(data):
    return numpy.finfo("float32").tiny
