"""Stands in for PyYAML: documents of names with booleans, numbers and quoted text, indented by blanks."""


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
        top = {}
        levels = [(-1, top)]
        for line in document.splitlines():
            name, colon, rest = line.split("#")[0].partition(":")
            if not colon:
                continue
            depth = len(name) - len(name.lstrip())
            while levels[-1][0] >= depth:
                levels.pop()
            levels[-1][1][name.strip()] = value_of(rest) if rest.strip() else {}
            if not rest.strip():
                levels.append((depth, levels[-1][1][name.strip()]))
        yield top
