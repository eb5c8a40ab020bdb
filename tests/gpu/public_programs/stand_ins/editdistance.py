"""Stands in for editdistance: words in the same place that differ, and those left over."""


def eval(left, right):
    return sum(a != b for a, b in zip(left, right)) + abs(len(left) - len(right))
