"""Stands in for msgpack: the file is a pickle."""
import pickle


def load(file, **options):
    return pickle.load(file)
