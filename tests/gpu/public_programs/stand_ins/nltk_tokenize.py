"""Stands in for NLTK's tokenizer of tweets: words between spaces."""


class TweetTokenizer:
    def __init__(self, **options):
        pass

    def tokenize(self, text):
        return text.split()
