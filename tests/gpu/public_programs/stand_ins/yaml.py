"""Stands in for PyYAML: documents of at most two levels with booleans, numbers and quoted text."""


def value_of(text):
    text = text.split("#")[0].replace("!!bool", "").strip().strip("'\"")
    if text in ("true", "false"):
        return text == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def load_all(stream):
    for document in stream.read().split("\n---"):
        top, inner = {}, {}
        for line in document.splitlines():
            name, colon, rest = line.split("#")[0].partition(":")
            if not colon:
                continue
            if not rest.strip():
                inner = top[name.strip()] = {}
            else:
                (inner if line.startswith(" ") else top)[name.strip()] = value_of(rest)
        yield top
