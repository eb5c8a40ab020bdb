"""How far results moved: relative errors in the Euclidean norm, computed in float64."""


def relative_errors(results, reference):
    """{name: ||a - b|| / ||b||}. 0 where both are zero; None where either is not finite or only b is zero."""
    errors = {}
    for name, b in reference.items():
        a, b = results[name].detach().to("cpu").double(), b.detach().to("cpu").double()
        difference, size = (a - b).norm().item(), b.norm().item()
        finite = difference == difference and difference not in (float("inf"),) and size != float("inf")
        errors[name] = None if not finite or (size == 0 and difference > 0) else 0.0 if size == 0 else difference / size
    return errors


def worst(errors):
    """The largest, or None where one of them is not known."""
    return None if any(value is None for value in errors.values()) else max(errors.values(), default=0.0)


FACTOR, UNITS = 4, 8


def agrees(original, changed, unit):
    """Whether the changed layer is about as near to float64 as the original: no error above FACTOR times the original's worst plus
    UNITS units of the layer's type. Another order of summation and another kernel stay well below; a wrong weight does not."""
    if worst(original) is None or worst(changed) is None:
        return False
    return worst(changed) <= FACTOR * worst(original) + UNITS * unit
