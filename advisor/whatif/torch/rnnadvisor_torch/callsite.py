"""From the place of a forward call to a diff of the place where the layer is made. Nothing is guessed: without certainty there is
a reason in place of a diff. Standard library only; works without PyTorch."""
import ast
import difflib
import os

LAYERS = {"LSTM", "GRU", "RNN"}


class Uncertain(Exception):
    """Why there is no diff."""


def propose(file, line, layer, new_class, new_module, root=None):
    """{"diff", "file", "line", "reason"}: diff is None when it is not certain, and reason says why. layer: "LSTM", "GRU" or "RNN"."""
    try:
        text = _read(file)
        changed, at = change(text, line, layer, new_class, new_module)
    except Uncertain as error:
        return {"diff": None, "file": None, "line": None, "reason": str(error)}
    name = os.path.abspath(file)
    if root and name.startswith(os.path.abspath(root).rstrip("/") + "/"):
        name = os.path.relpath(name, root)
    return {"diff": unified(text, changed, name.lstrip("/")), "file": file, "line": at, "reason": None}


def _read(file):
    try:
        with open(file, "rb") as stream:
            data = stream.read(10_000_001)
    except OSError as error:
        raise Uncertain("{} cannot be read: {}".format(file, error.strerror or error))
    if len(data) > 10_000_000:
        raise Uncertain("{} is too large for a program".format(file))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Uncertain("{} is not UTF-8".format(file))


def change(text, line, layer, new_class, new_module):
    """(changed text, line of the construction)."""
    source = text[1:] if text.startswith("\ufeff") else text
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Uncertain("the file is no Python that this interpreter reads: {}".format(error))
    if any(isinstance(node, ast.Name) and node.id == new_class or getattr(node, "name", None) == new_class for node in ast.walk(tree)):
        raise Uncertain("the file has a name {} already".format(new_class))
    constructor = _construction(tree, line, layer)
    lines = source.splitlines(keepends=True)
    if "".join(lines) != source or any(separator in source for separator in "\f\v\x1c\x1d\x1e\x85\u2028\u2029"):
        raise Uncertain("the file has unusual line separators")
    func = constructor.func
    if func.lineno != func.end_lineno:
        raise Uncertain("the construction's name goes over several lines")
    raw = lines[func.lineno - 1].encode("utf-8")
    lines[func.lineno - 1] = (raw[:func.col_offset] + new_class.encode() + raw[func.end_col_offset:]).decode("utf-8")
    ending = "\r\n" if lines[0].endswith("\r\n") else "\n"
    after = _import_line(tree)
    lines.insert(after, "from {} import {}{}".format(new_module, new_class, ending))
    if after > 0 and not lines[after - 1].endswith(("\n", "\r")):
        raise Uncertain("the file ends with its imports")
    changed = "".join(lines)
    ast.parse(changed)  # a mistake here is ours, and must not reach the user
    return ("\ufeff" if text.startswith("\ufeff") else "") + changed, constructor.lineno


def unified(old, new, name):
    """A diff for `patch -p1` and `git apply`."""
    parts = []
    for line in difflib.unified_diff(_lines(old), _lines(new), "a/" + name, "b/" + name):
        parts.append(line if line.endswith("\n") else line + "\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(text):
    """As diff sees them: ended by \\n alone."""
    lines = [line + "\n" for line in text.split("\n")]
    if lines[-1] == "\n":
        return lines[:-1]
    return lines[:-1] + [lines[-1][:-1]]


def _import_line(tree):
    """Behind the last of the imports at the top of the file."""
    after, seen = 0, False
    for index, node in enumerate(tree.body):
        docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(getattr(node, "value", None), ast.Constant) and isinstance(node.value.value, str)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            after, seen = node.end_lineno, True
        elif docstring:
            after = node.end_lineno
        else:
            break
        following = tree.body[index + 1] if index + 1 < len(tree.body) else None
        if following is not None and following.lineno == node.end_lineno:
            raise Uncertain("statements share the line of an import")
    if not seen and not tree.body:
        raise Uncertain("the file is empty")
    return after


# --- names ---
class _Scopes(ast.NodeVisitor):
    """Parents, and of each node the functions and the class around it."""

    def __init__(self, tree):
        self.around, self._stack = {}, []
        self.visit(tree)

    def generic_visit(self, node):
        self.around[node] = tuple(self._stack)
        scope = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        if scope:
            self._stack.append(node)
        super().generic_visit(node)
        if scope:
            self._stack.pop()

    def functions(self, node):
        return [scope for scope in self.around[node] if not isinstance(scope, ast.ClassDef)]

    def of_class(self, node):
        """The class whose method the node is in, or None."""
        classes = [scope for scope in self.around[node] if isinstance(scope, ast.ClassDef)]
        return classes[-1] if classes else None


def _dotted(node):
    """"torch.nn.LSTM" of such an expression, or None."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def _torch_names(tree):
    """What names of this file stand for: {"nn": "torch.nn"}; names that are bound in any other way too are left out."""
    found, bound = {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name.split(".")[0], set()).add(alias.name if alias.asname else alias.name.split(".")[0])
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found.setdefault(alias.asname or alias.name, set()).add("{}{}.{}".format("." * node.level, node.module or "", alias.name))
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.append(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.append(node.name)
        elif isinstance(node, ast.arg):
            bound.append(node.arg)
    return {name: next(iter(meant)) for name, meant in found.items() if len(meant) == 1 and name not in bound}


def _is_layer(func, names):
    """"LSTM" where the expression is torch.nn's LSTM by this file's imports, else None."""
    dotted = _dotted(func)
    if dotted is None:
        return None
    first, _, rest = dotted.partition(".")
    full = names.get(first)
    if full is None:
        return None
    full = full + ("." + rest if rest else "")
    for prefix in ("torch.nn.", "torch.nn.modules.", "torch.nn.modules.rnn."):
        if full.startswith(prefix) and full[len(prefix):] in LAYERS:
            return full[len(prefix):]
    return None


def _layer_call(value, names):
    """The call torch.nn.LSTM(…) that makes the value: itself, or before .cuda(), .half() and the like. None: another value."""
    while isinstance(value, ast.Call):
        if _is_layer(value.func, names):
            return value
        if isinstance(value.func, ast.Attribute) and value.func.attr in ("cuda", "to", "half", "float", "double", "bfloat16", "train", "eval", "requires_grad_"):
            value = value.func.value
        else:
            return None
    return None


# --- the layer that is called ---
def _assignments(tree, matches):
    """[(value or None, node)] of every binding of the targets that match."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if matches(target):
                    found.append((node.value, node))
                elif isinstance(target, (ast.Tuple, ast.List)):
                    found += [(None, node) for element in ast.walk(target) if element is not target and matches(element)]
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and matches(node.target):
            if node.value is not None:
                found.append((node.value, node))
        elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension)):
            found += [(None, node) for element in ast.walk(node.target) if matches(element)]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            found += [(None, node) for item in node.items if item.optional_vars is not None for element in ast.walk(item.optional_vars) if matches(element)]
        elif isinstance(node, ast.Delete):
            found += [(None, node) for target in node.targets if matches(target)]
    return found


def _construction(tree, line, layer):
    """The one call that makes the layer which the line calls."""
    scopes, names = _Scopes(tree), _torch_names(tree)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.lineno <= line <= node.end_lineno]
    if not calls:
        raise Uncertain("line {} has no call; the file may have changed since it was profiled".format(line))
    found, reasons = [], []
    for call in calls:
        try:
            made = _made_by(tree, call, scopes, names)
        except Uncertain as error:
            reasons.append(str(error))
            continue
        if made is not None and made not in found:
            found.append(made)
    if len(found) > 1:
        raise Uncertain("line {} calls several layers".format(line))
    if reasons:
        raise Uncertain(reasons[0])
    if not found:
        raise Uncertain("the layer that line {} calls is not made in this file by a plain assignment of torch.nn.{}(…)".format(line, layer))
    kind = _is_layer(found[0].func, names)
    if kind != layer:
        raise Uncertain("line {} calls a {}, not the {} that was captured".format(line, kind, layer))
    return found[0]


def _made_by(tree, call, scopes, names):
    """The construction of the object that is called; None when it is none of torch.nn's layers, as far as this file shows."""
    func = call.func
    direct = _layer_call(func, names) if isinstance(func, ast.Call) else None
    if direct is not None:  # torch.nn.LSTM(…)(x)
        return direct
    if isinstance(func, ast.Attribute) and func.attr == "forward":
        func = func.value
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in ("self", "cls"):
        owner = scopes.of_class(call)
        if owner is None:
            return None
        wanted = "self." + func.attr
        places = _assignments(owner, lambda target: isinstance(target, ast.Attribute) and _dotted(target) == wanted)
        return _single(places, wanted, scopes, names, owner)
    if isinstance(func, ast.Attribute) and _dotted(func):
        # model.rnn(x): the attribute of some class, which must be the only one of that name that is set in this file
        places = _assignments(tree, lambda target: isinstance(target, ast.Attribute) and target.attr == func.attr)
        return _single(places, "." + func.attr, scopes, names, None) if any(_layer_call(value, names) for value, _ in places) else None
    if isinstance(func, ast.Name):
        visible = scopes.functions(call)
        every = _assignments(tree, lambda target: isinstance(target, ast.Name) and target.id == func.id)
        for depth in range(len(visible), -1, -1):  # the innermost function that binds it
            here = [(value, node) for value, node in every if scopes.functions(node) == visible[:depth] and not (scopes.around[node] and isinstance(scopes.around[node][-1], ast.ClassDef))]
            if depth and any(isinstance(a, ast.arg) and a.arg == func.id for a in ast.walk(visible[depth - 1].args) if isinstance(visible[depth - 1], (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))):
                return None  # handed in: made elsewhere
            if here:
                return _single(here, func.id, scopes, names, None)
        return None
    return None


def _single(places, name, scopes, names, owner):
    makers = [(_layer_call(value, names) if value is not None else None, node) for value, node in places]
    layers = [maker for maker, _ in makers if maker is not None]
    if not layers:
        return None
    if len(places) > 1:
        raise Uncertain("{} is set in {} places of the file: lines {}".format(name, len(places), ", ".join(str(node.lineno) if hasattr(node, "lineno") else "?" for _, node in places)))
    return layers[0]
