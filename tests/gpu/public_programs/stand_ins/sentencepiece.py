"""Stands in for sentencepiece as it was, with its extra options: a piece for each word."""
import zlib


class SentencePieceProcessor:
    def load(self, path):
        pass

    def set_encode_extra_options(self, options):
        pass

    def pad_id(self):
        return 0

    def eos_id(self):
        return 1

    def unk_id(self):
        return 2

    def __len__(self):
        return 16000

    def encode_as_ids(self, text):
        return [3 + zlib.crc32(word.encode()) % 15997 for word in text.split()] + [1]

    def decode_ids(self, pieces):
        return " ".join(map(str, pieces))
