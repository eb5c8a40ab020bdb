"""Stands in for a module that the program imports and does not need: each of its names does nothing."""


class Nothing:
    def __call__(self, *arguments, **options):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, index):
        return self

    def __iter__(self):
        return iter(())


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Nothing()
