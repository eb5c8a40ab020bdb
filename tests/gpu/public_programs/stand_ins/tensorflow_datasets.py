"""Stands in for TensorFlow's data sets: one text of characters by Zipf's law, cut by the two sizes that the program asks for, time-major."""
import numpy

SIGNS = numpy.frombuffer(b" etaoinshrdlucmfwypvbgkjqxzETAOINSHRDLUCMFWYPVBGK.,;:!?'-\n", "uint8").astype("int32")


class Split:
    TRAIN, TEST = "train", "test"


class Text:
    def __init__(self, split):
        self.draw, self.sizes = numpy.random.RandomState(len(split)), []

    def batch(self, size, **options):
        self.sizes.append(size)
        return self

    def map(self, *arguments, **options):
        return self

    unbatch = shuffle = repeat = map

    def __iter__(self):
        length, count = self.sizes
        weights = 1 / (numpy.arange(len(SIGNS)) + 2.7)
        text = SIGNS[self.draw.choice(len(SIGNS), 1000000, p=weights / weights.sum())]
        while True:
            windows = self.draw.randint(0, len(text) - length - 1, count) + numpy.arange(length)[:, None]
            yield {"input": text[windows], "target": text[windows + 1]}


def load(name, split):
    return Text(split)


def as_numpy(text):
    return text
