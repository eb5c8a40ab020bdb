"""Stands in for tqdm: no bar; what the program notes beside the bar is printed once at its end."""


class tqdm:
    def __init__(self, iterable=(), **options):
        self.iterable, self.note = iterable, ""

    def __iter__(self):
        yield from self.iterable
        self.close()

    def __len__(self):
        return len(self.iterable)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def set_postfix(self, **values):
        self.note = " ".join(f"{name}={value}" for name, value in values.items())

    def set_postfix_str(self, text):
        self.note = text

    def close(self):
        if self.note:
            print(self.note, flush=True)
        self.note = ""

    def update(self, count=1):
        pass

    def set_description(self, text):
        pass

    @staticmethod
    def write(text):
        print(text, flush=True)


def trange(*bounds, **options):
    return tqdm(range(*bounds), **options)
