"""Stands in for PIL.Image: each name is a grey picture of its own, of 100 x 32; files are not read."""
import zlib

import numpy

BILINEAR = 2


class Image:
    def __init__(self, path):
        self.pixels = numpy.random.RandomState(zlib.crc32(path.encode())).randint(0, 256, (32, 100)).astype("uint8")

    def convert(self, mode):
        return self

    def resize(self, size, resample=None):
        return self

    def __array__(self, dtype=None, copy=None):
        return self.pixels


def open(path):
    return Image(path)
