"""Stands in for udtools.udeval: every score is 50 %."""
import collections


class UDError(Exception):
    pass


class Score:
    f1 = precision = recall = aligned_accuracy = 0.5


def load_conllu(*arguments):
    return None


load_conllu_file = load_conllu


def evaluate(gold, system):
    return collections.defaultdict(Score)


def build_evaluation_table(*arguments, **options):
    return ""
