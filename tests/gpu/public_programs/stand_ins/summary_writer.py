"""Stands in for TensorBoardX: nothing is written."""


class SummaryWriter:
    def __init__(self, *arguments, **options):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *arguments, **options: None
