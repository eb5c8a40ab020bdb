"""Stands in for Unidecode: the text is ASCII already."""


def unidecode(text):
    return text
