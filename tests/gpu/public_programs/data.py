#!/usr/bin/env python3
"""The made-up data of the public programs, seeded: the same bytes each time. fetch.py calls it, and puts a copy beside the programs.

data.py [--only NAME,…], the copy: what is too bulky to carry, or depends on the version of NumPy or PyTorch, made where the programs run.
"""
import argparse
import json
import os
import pathlib
import pickle
import sys

import numpy

LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Made by the copy, not by fetch.py.
LATER = ("rnnoise", "opus_rdovae", "autovc", "world_models", "deepar", "sha_rnn", "gnmt", "word_picture_files", "yelp", "drqa", "quaternet", "headlines", "piano",
         "two_voices", "films", "shares", "songs", "treebank", "speech", "chorales", "conversations", "sentences_aloud", "tones", "companded",
         "methods", "recitals", "audio_books")


def open_new(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("w", encoding="utf-8")


def names(count):
    """Short words, one to four letters."""
    found = list(LETTERS)
    for word in found:
        if len(found) >= count:
            return found[:count]
        found += [word + letter for letter in LETTERS]


def zipf(draw, count, vocabulary):
    """Indices of words by Zipf's law."""
    weights = 1 / (numpy.arange(vocabulary) + 2.7)
    return draw.choice(vocabulary, count, p=weights / weights.sum())


def sentences(draw, tokens, vocabulary, each_word):
    """Lists of 8 to 40 words, `tokens` in all with one end of sentence for each; with each_word no word of the vocabulary is missing."""
    words, drawn = numpy.array(names(vocabulary)), zipf(draw, tokens, vocabulary)
    if each_word:
        drawn[:vocabulary] = draw.permutation(vocabulary)
    used = 0
    while tokens > 0:
        length = min(int(draw.randint(8, 41)), tokens - 1)
        yield words[drawn[used:used + length]].tolist()
        used, tokens = used + length, tokens - length - 1


def lines(draw, count, vocabulary, shortest, longest):
    """Sentences of a text in which only their number matters."""
    lengths = draw.randint(shortest, longest + 1, count)
    drawn = numpy.array(names(vocabulary))[zipf(draw, int(lengths.sum()), vocabulary)]
    return [part.tolist() for part in numpy.split(drawn, numpy.cumsum(lengths)[:-1])]


def corpus(folder, files, vocabulary, tokens, before="", after=""):
    draw = numpy.random.RandomState(1)
    for file, count in zip(files, (tokens, tokens // 20, tokens // 20)):
        with open_new(folder / file) as out:
            out.writelines(before + " ".join(words) + after + "\n" for words in sentences(draw, count, vocabulary, count == tokens))


def wikitext(folder):
    corpus(folder / "data/wikitext-2", ("train.txt", "valid.txt", "test.txt"), 9665, 330000)


def ptb_one_file(folder):
    corpus(folder / "data", ("train.txt",), 9999, 300000)


def ptb_spaced(folder):
    corpus(folder / "data", ("ptb.train.txt", "ptb.valid.txt", "ptb.test.txt"), 9670, 322500, " ", " ")


def penn(folder):
    corpus(folder / "data/penn", ("train.txt", "valid.txt", "test.txt"), 9665, 330800)


def shakespeare(folder):
    """Characters, not words: 60 different ones."""
    signs = LETTERS + LETTERS.upper() + " .,;:!?\n"
    with open_new(folder / "data/shakespeare.txt") as out:
        out.write(signs + "".join(numpy.array(list(signs))[zipf(numpy.random.RandomState(2), 192315, 60)]))
    (folder / "preTrained").mkdir(exist_ok=True)


def sessions(folder):
    """Lists of items that a visitor looked at, and the next one. Python's own numbers: every version of NumPy reads them."""
    draw = numpy.random.RandomState(3)
    (folder / "datasets/diginetica").mkdir(parents=True, exist_ok=True)
    for file, count in (("train.txt", 42000), ("test.txt", 1000)):
        lengths = numpy.minimum(draw.geometric(0.22, count), 25)
        items = (zipf(draw, int(lengths.sum()) + count, 43097) + 1).tolist()
        looked = [[items.pop() for _ in range(length)] for length in lengths]
        with (folder / "datasets/diginetica" / file).open("wb") as out:
            pickle.dump((looked, items), out, protocol=2)


def reviews(folder):
    draw = numpy.random.RandomState(4)
    for file, count in (("train", 5000), ("valid", 500), ("test", 500)):
        with open_new(folder / f"datasets/yelp_data/yelp.{file}.txt") as out:
            out.writelines("{}\t{}\n".format(draw.randint(2), " ".join(words)) for words in lines(draw, count, 9000, 24, 96))


def sentence_pairs(folder):
    """What the program's prepare.py writes: characters and words as indices, the longest sentences first."""
    draw, special = numpy.random.RandomState(5), ["<PAD>", "<SOS>", "<EOS>", "<UNK>"]
    words = names(3588)
    for file, tokens in (("src.char_to_idx", LETTERS), ("src.word_to_idx", words), ("tgt.word_to_idx", words)):
        with open_new(folder / f"data/train.{file}") as out:
            out.writelines(token + "\n" for token in [*special, *tokens])
    with open_new(folder / "data/train.csv") as out:
        for length in sorted(draw.randint(8, 25, 3200), reverse=True):
            source, target = zipf(draw, length, 3588), zipf(draw, int(draw.randint(8, 25)), 3588)
            signs = ["+".join(str(LETTERS.index(letter) + 4) for letter in words[word]) for word in source]
            out.write(" ".join(f"{sign}:{word + 4}" for sign, word in zip(signs, source)) + "\t" + " ".join(str(word + 4) for word in target) + "\n")


def tagged(folder):
    draw, kinds = numpy.random.RandomState(6), ("PER", "LOC", "ORG", "MISC")
    for file, count in (("train", 2000), ("dev", 100), ("test", 100)):
        with open_new(folder / f"synthetic/{file}.bmes") as out:
            for words in lines(draw, count, 4000, 6, 30):
                for word in words:
                    out.write(f"{word} {draw.choice(list('BMES'))}-{draw.choice(kinds)}\n" if draw.rand() < 0.3 else f"{word} O\n")
                out.write("\n")
    with open_new(folder / "synthetic.train.config") as out:  # the values of the repository's demo.train.config, without its word embeddings
        out.write("train_dir=synthetic/train.bmes\ndev_dir=synthetic/dev.bmes\ntest_dir=synthetic/test.bmes\nmodel_dir=synthetic/model\nword_emb_dim=50\n"
                  "char_emb_dim=30\nnumber_normalized=True\nseg=True\nuse_crf=True\nuse_char=True\nword_seq_feature=LSTM\nchar_seq_feature=CNN\n"
                  "status=train\noptimizer=SGD\niteration=50\nbatch_size=10\nave_batch_loss=False\ncnn_layer=4\nchar_hidden_dim=50\nhidden_dim=200\n"
                  "dropout=0.5\nlstm_layer=1\nbilstm=True\nlearning_rate=0.015\nlr_decay=0.05\nmomentum=0\nl2=1e-8\n")


def random_file(path, frames, width, seed):
    """32-bit floats between -1 and 1."""
    path.parent.mkdir(parents=True, exist_ok=True)
    (2 * numpy.random.RandomState(seed).rand(frames * width) - 1).astype("float32").tofile(path)


def rnnoise(folder):
    random_file(folder / "features.f32", 256 * 2000, 98, 7)


def opus_rdovae(folder):
    random_file(folder / "features.f32", 640 * 400, 36, 8)


def none(folder):
    """All that the program reads is made by a stand-in."""


def speakers(folder):
    """Spectrograms of 128 speakers in whole decibels."""
    draw = numpy.random.RandomState(9)
    (folder / "train_tisv").mkdir(exist_ok=True)
    for speaker in range(128):
        numpy.save(folder / f"train_tisv/speaker{speaker}.npy", draw.randint(-80, 1, (1, 40, 160)).astype("int8"))


def autovc(folder):
    draw, rows = numpy.random.RandomState(10), []
    for speaker in range(40):
        (folder / f"spmel/p{speaker}").mkdir(parents=True, exist_ok=True)
        files = [f"p{speaker}/{index}.npy" for index in range(4)]
        for file in files:
            numpy.save(folder / "spmel" / file, draw.rand(int(draw.randint(130, 200)), 80).astype("float32"))
        rows.append([f"p{speaker}", draw.rand(256).astype("float32"), *files])
    (folder / "spmel/train.pkl").write_bytes(pickle.dumps(rows))


def world_models(folder):
    """Ten drives through coloured blocks, each under 64 names, and the weights of a VAE that has not been trained."""
    draw, place = numpy.random.RandomState(11), folder / "datasets/carracing/thread_0"
    place.mkdir(parents=True, exist_ok=True)
    for drive in range(10):
        blocks = draw.randint(0, 256, (8, 80, 3)).astype("uint8").repeat(8, 0).repeat(8, 1)
        frames = numpy.stack([blocks[:, start:start + 64] for start in range(112)])
        numpy.savez(place / f"rollout_{drive}.npz", observations=frames, rewards=draw.rand(112), actions=draw.rand(112, 3), terminals=numpy.arange(112) == 111)
        for name in range(drive + 10, 640, 10):
            (place / f"rollout_{name}.npz").unlink(missing_ok=True)
            os.link(place / f"rollout_{drive}.npz", place / f"rollout_{name}.npz")
    import torch
    sys.path.insert(0, str(folder))
    from models.vae import VAE
    torch.manual_seed(11)
    (folder / "logs/vae").mkdir(parents=True, exist_ok=True)
    torch.save({"epoch": 0, "precision": 0.0, "state_dict": VAE(3, 32).state_dict()}, folder / "logs/vae/best.tar")


def deepar(folder):
    """Windows of 192 hours of electricity: the value before, four covariates, the series; values of a day's rhythm and noise, scaled by their mean."""
    draw, place = numpy.random.RandomState(12), folder / "data/elect"
    place.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", 3200), ("test", 600)):
        hours = numpy.arange(192) + draw.randint(0, 24, (count, 1))
        values = 1 + 0.5 * numpy.sin(hours * numpy.pi / 12) + 0.1 * draw.rand(count, 192)
        rows = numpy.zeros((count, 192, 6), "float32")
        rows[:, 1:, 0] = values[:, :-1]
        rows[:, :, 1:5] = numpy.stack([hours / 192, hours % 24 / 24, hours // 24 / 8, hours / 200], -1)
        rows[:, :, 5] = draw.randint(0, 370, (count, 1))
        for name, array in (("data", rows), ("label", values), ("v", numpy.stack([1 + 99 * draw.rand(count), numpy.zeros(count)], 1))):
            numpy.save(place / f"{part}_{name}_elect.npy", array.astype("float32"))


def word_pictures(folder):
    """The words and where their pictures would lie; the stand-in for PIL makes the pictures."""
    draw, place = numpy.random.RandomState(14), folder / "data/mnt/ramdisk/max/90kDICT32px"
    words = ["".join(draw.choice(list(LETTERS), draw.randint(3, 11))) for _ in range(2000)]
    with open_new(place / "lexicon.txt") as out:
        out.writelines(word + "\n" for word in words)
    for file, count in (("train", 12800), ("val", 512)):
        with open_new(place / f"annotation_{file}.txt") as out:
            out.writelines(f"./{index}.jpg {draw.randint(2000)}\n" for index in range(count))
    (folder / "checkpoints").mkdir(exist_ok=True)


def word_picture_files(folder):
    """Grey pictures of 100 x 32 as files, each listed 40 times with its word."""
    draw = numpy.random.RandomState(17)
    for part, file, count, times in (("MJSynth", "train", 3200, 40), ("IIIT5K", "test", 200, 1)):
        place, listed = folder / "data" / part, []
        place.mkdir(parents=True, exist_ok=True)
        for index in range(count):
            (place / f"{index}.pgm").write_bytes(b"P5 100 32 255\n" + draw.randint(0, 256, 3200).astype("uint8").tobytes())
            listed.append(f"{index}.pgm {''.join(draw.choice(list(LETTERS), draw.randint(3, 11)))}\n")
        (place / f"annotation_{file}.txt").write_text("".join(listed * times))


def sha_rnn(folder):
    """The bytes of a text as numbers, as its prep_enwik8.py writes them: 205 different ones."""
    draw = numpy.random.RandomState(15)
    for file, count in (("train", 16 * 1024 * 200), ("valid", 40000), ("test", 40000)):
        numbers = zipf(draw, count, 205)
        numbers[:205] = numpy.arange(205)
        with open_new(folder / f"data/enwik8/{file}.txt") as out:
            out.writelines(" ".join(map(str, line)) + "\n" for line in numbers.reshape(-1, 50 if count == 40000 else 64).tolist())


def gnmt(folder):
    draw, place, tongues = numpy.random.RandomState(16), folder / "data/wmt16_de_en", ("en", "de")
    with open_new(place / "vocab.bpe.32000") as out:
        out.writelines(word + "\n" for word in names(31996))
    open_new(place / "bpe.32000").close()
    for file, count in (("train.tok.clean.bpe.32000.", 25600), ("newstest_dev.tok.clean.bpe.32000.", 256), ("newstest2014.tok.bpe.32000.", 128)):
        for tongue in tongues:
            with open_new(place / (file + tongue)) as out:
                out.writelines(" ".join(words) + "\n" for words in lines(draw, count, 31996, 8, 46))


def yelp(folder):
    """Sentences of the length of the processed Yelp data set."""
    draw = numpy.random.RandomState(18)
    for file, count in (("train", 100000), ("valid", 2000)):
        with open_new(folder / f"data/yelp/{file}.txt") as out:
            out.writelines(" ".join(words) + "\n" for words in lines(draw, count, 12000, 5, 15))


def drqa(folder):
    """What the program's prepro.py writes, as a pickle: a question, a text with features of each word, and where the answer is."""
    draw = numpy.random.RandomState(19)

    def example(index, answer):
        length, asked = int(draw.randint(60, 251)), int(draw.randint(6, 31))
        features = (draw.rand(length, 4) * [2, 2, 2, 1]).round(3)
        features[:, :3] = features[:, :3] // 1
        begin = int(draw.randint(length - 3))
        spans = [[3 * at, 3 * at + 2] for at in range(length)]
        return [str(index), (zipf(draw, length, 19998) + 2).tolist(), features.tolist(), draw.randint(0, 50, length).tolist(), draw.randint(0, 19, length).tolist(),
                (zipf(draw, asked, 19998) + 2).tolist(), "ab " * length, spans, *((["ab"],) if answer else (begin, begin + 2))]
    (folder / "SQuAD").mkdir(exist_ok=True)
    with (folder / "SQuAD/meta.msgpack").open("wb") as out:
        pickle.dump({"embedding": draw.rand(20000, 300).astype("float32") - 0.5, "vocab_tag": list(range(50)), "vocab_ent": list(range(19))}, out)
    with (folder / "SQuAD/data.msgpack").open("wb") as out:
        pickle.dump({"train": [example(index, False) for index in range(6400)], "dev": [example(index, True) for index in range(320)]}, out)


def hdfs(folder):
    """Sessions of log keys, 1 to 28."""
    draw = numpy.random.RandomState(20)
    with open_new(folder / "data/hdfs_train") as out:
        out.writelines(" ".join(map(str, zipf(draw, int(draw.randint(11, 30)), 28) + 1)) + "\n" for _ in range(4855))


def quaternet(folder):
    """Rotations of 32 joints of seven people in 30 scenes each, 600 frames."""
    draw, people = numpy.random.RandomState(21), ("S1", "S5", "S6", "S7", "S8", "S9", "S11")
    turns = draw.rand(210, 1, 32, 4).astype("float32") + 0.1 * draw.rand(210, 600, 32, 4).astype("float32")
    turns /= numpy.sqrt((turns ** 2).sum(-1, keepdims=True))
    (folder / "datasets").mkdir(exist_ok=True)
    numpy.savez(folder / "datasets/dataset_h36m.npz", trajectories=draw.rand(210, 600, 3).astype("float32"), rotations=turns, subjects=numpy.repeat(people, 30),
                actions=numpy.array([f"action{index}" for index in range(30)] * 7))


def headlines(folder):
    """Headlines of ten classes in 4,760 signs; three signs of each tell its class, as a rule."""
    draw, place = numpy.random.RandomState(22), folder / "THUCNews/data"
    for file, count in (("train", 180000), ("dev", 2000), ("test", 2000)):
        with open_new(place / f"{file}.txt") as out:
            for length in draw.randint(12, 31, count):
                kind, signs = int(draw.randint(10)), zipf(draw, length, 4760)
                signs[draw.randint(0, length, 3)] = 1000 + 10 * draw.randint(0, 300, 3) + (kind if draw.rand() < 0.9 else draw.randint(10))
                out.write("".join(chr(0x4e00 + int(sign)) for sign in signs) + f"\t{kind}\n")
    (place / "class.txt").write_text("".join(f"class{index}\n" for index in range(10)))
    (folder / "THUCNews/saved_dict").mkdir(exist_ok=True)
    numpy.savez(place / "embedding_SougouNews.npz", embeddings=draw.rand(4762, 300))


def piano(folder):
    """Events and controls of pieces, as the program's preprocess.py writes them."""
    import torch
    draw = numpy.random.RandomState(23)
    (folder / "dataset/processed").mkdir(parents=True, exist_ok=True)
    (folder / "save").mkdir(exist_ok=True)
    for piece in range(20):
        controls = draw.randint(0, 256, (8000, 13)).astype("uint8")
        controls[:, 0] %= 12
        torch.save((zipf(draw, 8000, 240).astype("uint8"), controls), folder / f"dataset/processed/{piece}.data")


def noise(path, samples, seed):
    """A raw sound file of 16 bits."""
    path.parent.mkdir(parents=True, exist_ok=True)
    numpy.random.RandomState(seed).randint(-9000, 9000, samples).astype("int16").tofile(path)


def two_voices(folder):
    """Mixed and clean spectrograms of 3 seconds, a sound of the same speaker for each, and the weights of an embedder that has not been trained."""
    import torch
    draw, place = numpy.random.RandomState(25), folder / "synthetic"
    for index in range(64):
        noise(place / f"{index}.wav", int(draw.randint(60000, 240000)), index)
        (place / f"{index}-dvec.txt").write_text(str(place / f"{index}.wav") + "\n")
        for kind in ("target", "mixed"):
            (place / f"{index}-{kind}.wav").touch()
            torch.save(torch.from_numpy(draw.rand(301, 601).astype("float32")), place / f"{index}-{kind}.pt")
    for index in range(64, 1024):
        for ending in ("-dvec.txt", "-target.wav", "-mixed.wav", "-target.pt", "-mixed.pt"):
            (place / f"{index}{ending}").unlink(missing_ok=True)
            os.link(place / f"{index % 64}{ending}", place / f"{index}{ending}")
    text = (folder / "config/default.yaml").read_text()
    (folder / "config/synthetic.yaml").write_text(text.replace("train_dir: ''", "train_dir: 'synthetic'").replace("test_dir: ''", "test_dir: 'synthetic'"))
    torch.manual_seed(25)
    layer, projection = torch.nn.LSTM(40, 768, 3, batch_first=True), torch.nn.Linear(768, 256)
    torch.save({**{f"lstm.{name}": weight for name, weight in layer.state_dict().items()},
                **{f"proj.linear_layer.{name}": weight for name, weight in projection.state_dict().items()}}, folder / "embedder.pt")


def films(folder):
    """Two lines of a dialogue follow each other."""
    draw = numpy.random.RandomState(26)
    (folder / "save/training_data/films").mkdir(parents=True, exist_ok=True)
    with open_new(folder / "data/films.txt") as out:
        out.writelines(" ".join(words) + "\n" for words in lines(draw, 60000, 8000, 2, 14))


def pedestrians(folder):
    """People who each cross the place for 40 frames."""
    draw = numpy.random.RandomState(27)
    for part, files, frames in (("train", 2, 900), ("test", 1, 100)):
        for file in range(files):
            rows = []
            for person in range(frames // 5):
                begin, at, step = int(draw.randint(frames - 40)), 15 * draw.rand(2), 0.8 * draw.rand(2) - 0.4
                rows += [(10 * (begin + index), person, *(at + index * step + 0.02 * draw.rand(2))) for index in range(40)]
            with open_new(folder / f"datasets/zara2/{part}/{file}.txt") as out:
                out.writelines("{:.1f}\t{:.1f}\t{:.2f}\t{:.2f}\n".format(*row) for row in sorted(rows))


def shares(folder):
    """Prices of 81 shares and their index by the minute."""
    draw, place = numpy.random.RandomState(28), folder.parent / "nasdaq"
    prices = 100 + draw.randn(12000, 81).cumsum(0) * 0.05
    place.mkdir(exist_ok=True)
    numpy.savetxt(place / "nasdaq100_padding.csv", numpy.column_stack([prices, 50 * prices.mean(1)]), "%.2f", ",", comments="",
                  header=",".join([f"S{index}" for index in range(81)] + ["NDX"]))


def songs(folder):
    """Stereo sounds of 8 seconds at 44.1 kHz, ten different ones under 640 names."""
    for part, count in (("train", 640), ("valid", 10)):
        for song in range(count):
            for seed, name in enumerate(("mixture.wav", "vocals.wav")):
                path = folder / f"data/{part}/{song}/{name}"
                if song < 10:
                    noise(path, 2 * 8 * 44100, 2 * song + seed)
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.unlink(missing_ok=True)
                os.link(folder / f"data/{part}/{song % 10}/{name}", path)


def treebank(folder):
    """What the program's preprocess.py writes: batches of four sentences of one length, with trees that branch to the right."""
    draw, count = numpy.random.RandomState(30), 6000
    for file, batches in (("train", count), ("val", 20)):
        lengths = draw.randint(5, 31, batches)
        sentences, others = numpy.zeros((4 * batches, 32), "int64"), []
        for row, length in enumerate(numpy.repeat(lengths, 4).tolist()):
            sentences[row, :length + 2] = [2, *(zipf(draw, length, 9996) + 4), 3]
            spans = [(begin, length - 1) for begin in range(length - 2, -1, -1)]
            others.append(("", [], [], [0] * length + [1] * (length - 1), [], spans))  # shift all words, then join them
        names_of = {index: f"w{index}" for index in range(10000)}
        (folder / "data").mkdir(exist_ok=True)
        with (folder / f"data/ptb-{file}.pkl").open("wb") as out:
            pickle.dump({"source": sentences, "other_data": others, "source_l": lengths + 2, "batch_l": numpy.full(batches, 4), "batch_idx": 4 * numpy.arange(batches),
                         "vocab_size": numpy.array([10000]), "word2idx": {word: index for index, word in names_of.items()}, "idx2word": names_of}, out)


def speech(folder):
    """Spectrograms of 80 bands of 120 to 800 frames with sentences of a matching length, each listed 40 times."""
    import torch
    draw = numpy.random.RandomState(31)
    (folder / "mels").mkdir(exist_ok=True)
    (folder / "output").mkdir(exist_ok=True)
    listed = []
    for index, frames in enumerate(draw.randint(120, 801, 128).tolist()):
        torch.save(torch.from_numpy(draw.rand(80, frames).astype("float32")), folder / f"mels/{index}.pt")
        text = "".join(draw.choice(list(LETTERS + "   "), frames // 5 - 3))
        listed.append(f"mels/{index}.pt|a{text}z.\n")
    (folder / "filelists").mkdir(exist_ok=True)
    (folder / "filelists/ljs_mel_text_train_filelist.txt").write_text("".join(listed * 40))
    (folder / "filelists/ljs_mel_text_val_filelist.txt").write_text("".join(listed[:128]))


def voices_of_chorales():
    """Chords of four notes, most often held for a while."""
    draw = numpy.random.RandomState(32)

    def chorale(length):
        chord, chords = draw.randint(36, 84, 4), []
        for _ in range(length):
            chord = numpy.where(draw.rand(4) < 0.6, chord, numpy.clip(chord + draw.randint(-4, 5, 4), 36, 84))
            chords.append(tuple(int(note) for note in sorted(set(chord.tolist()))))
        return chords
    return {part: [chorale(int(length)) for length in draw.randint(24, 130, count)] for part, count in (("train", 229), ("test", 77), ("valid", 76))}


def chorales(folder):
    """As the program keeps them once it has downloaded them."""
    import torch
    place, kept = folder / "pyro/contrib/examples/.data", {}
    for part, pieces in voices_of_chorales().items():
        sequences = []
        for piece in pieces:
            sequences.append(torch.zeros(len(piece), 88))
            for step, chord in enumerate(piece):
                sequences[-1][step, [note - 21 for note in chord]] = 1
        kept[part] = {"sequence_lengths": torch.tensor([len(piece) for piece in pieces]), "sequences": sequences}
    place.mkdir(parents=True, exist_ok=True)
    (place / "jsb_chorales.pkl").write_bytes(pickle.dumps(kept))


def transformer_station(folder):
    """Seven readings an hour, with a rhythm of a day."""
    draw = numpy.random.RandomState(33)
    hours = numpy.arange(17420)
    values = 10 + draw.rand(7) * 10 + 4 * numpy.sin(hours[:, None] * numpy.pi / 12 + draw.rand(7) * 6) + draw.randn(17420, 7)
    dates = numpy.datetime64("2016-07-01T00") + hours.astype("timedelta64[h]")
    with open_new(folder / "dataset/ETT-small/ETTh1.csv") as out:
        out.write("date,HUFL,HULL,MUFL,MULL,LUFL,LULL,OT\n")
        out.writelines(f"{str(date).replace('T', ' ')}:00:00,{','.join(f'{value:.3f}' for value in row)}\n" for date, row in zip(dates, values))


def conversations(folder):
    """Vectors of 40 conversations of two to four speakers, near a mean for each speaker."""
    draw, vectors, names_of = numpy.random.RandomState(34), [], []
    for conversation in range(40):
        speakers = draw.randint(2, 5)
        means = draw.randn(speakers, 256)
        for turn in range(12):
            speaker, length = draw.randint(speakers), draw.randint(8, 24)
            vectors.append((means[speaker] + 0.3 * draw.randn(length, 256)) * 0.1)
            names_of += [f"{conversation}_{speaker}"] * length
    (folder / "data").mkdir(exist_ok=True)
    numpy.savez(folder / "data/toy_training_data.npz", train_sequence=numpy.concatenate(vectors), train_cluster_id=numpy.array(names_of))
    tests, of_tests = numpy.empty(2, object), numpy.empty(2, object)
    for index in range(2):
        tests[index], of_tests[index] = draw.randn(40, 256) * 0.1, ["a"] * 20 + ["b"] * 20
    numpy.savez(folder / "data/toy_testing_data.npz", test_sequences=tests, test_cluster_ids=of_tests)


def sentences_aloud(folder):
    """Noise of 1 to 10 seconds as wave files, with sentences of a matching length."""
    import wave
    draw, listed = numpy.random.RandomState(35), []
    (folder / "wavs").mkdir(exist_ok=True)
    for index in range(60):
        seconds = 1.1 + 9 * draw.rand()
        with wave.open(str(folder / f"wavs/{index}.wav"), "wb") as out:
            out.setparams((1, 2, 22050, 0, "NONE", ""))
            out.writeframes(draw.randint(-9000, 9000, int(22050 * seconds)).astype("int16").tobytes())
        listed.append(f"wavs/{index}.wav|a {''.join(draw.choice(list(LETTERS + '     '), int(15 * seconds)))} z.|0\n")
    (folder / "filelists/made_up_train.txt").write_text("".join(listed * 20))
    (folder / "filelists/made_up_val.txt").write_text("".join(listed[:12]))


def tones(folder):
    """Sounds of four seconds, their pitch and their loudness, as the program's preprocess.py writes them."""
    draw, place = numpy.random.RandomState(36), folder / "preprocessed"
    place.mkdir(exist_ok=True)
    pitch = numpy.repeat(100 + 800 * draw.rand(480, 8), 50, 1)
    phase = numpy.cumsum(numpy.repeat(pitch, 160, 1), 1) * 2 * numpy.pi / 16000
    numpy.save(place / "signals.npy", (0.3 * numpy.sin(phase)).astype("float32"))
    numpy.save(place / "pitchs.npy", pitch.astype("float32"))
    numpy.save(place / "loudness.npy", (-30 + 5 * draw.randn(480, 400)).astype("float32"))


def companded(folder):
    """Sounds in 1,024 levels and their spectrograms, forty different ones under 4,000 names."""
    draw, place, listed = numpy.random.RandomState(37), folder / "dataset/train", []
    place.mkdir(parents=True, exist_ok=True)
    for index in range(4000):
        if index < 40:
            frames = int(draw.randint(100, 400))
            numpy.save(place / f"{index}.wav.npy", draw.randint(0, 1024, 200 * frames + 200))
            numpy.save(place / f"{index}.mel.npy", draw.rand(80, frames).astype("float32"))
        else:
            for kind in ("wav", "mel"):
                (place / f"{index}.{kind}.npy").unlink(missing_ok=True)
                os.link(place / f"{index % 40}.{kind}.npy", place / f"{index}.{kind}.npy")
        listed.append([f"{index}", f"train/{index}"])
    (folder / "dataset/train.json").write_text(json.dumps(listed))


def tagged_treebank(folder):
    """Sentences in CoNLL-U with parts of speech at random, a line a word."""
    draw, kinds = numpy.random.RandomState(41), ("NOUN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "AUX", "PUNCT")
    for file, count in (("train", 5000), ("dev", 300)):
        with open_new(folder / f"data/pos/en_made.{file}.in.conllu") as out:
            for words in lines(draw, count, 9000, 5, 35):
                tags = draw.randint(0, 9, len(words)).tolist()
                out.writelines(f"{at + 1}\t{word}\t{word}\t{kinds[tag]}\tX{tag}\t{'Number=Sing' if tag < 3 else '_'}\t{at}\t{'dep' if at else 'root'}\t_\t_\n"
                               for at, (word, tag) in enumerate(zip(words, tags)))
                out.write("\n")


def methods(folder):
    """Names, calls, tokens and descriptions of methods, as indices of words in one long row each."""
    draw, place = numpy.random.RandomState(39), folder / "data/github"
    place.mkdir(parents=True, exist_ok=True)
    for part, count in (("train", 100000), ("valid", 2000)):
        for kind, shortest, longest in (("name", 1, 7), ("apiseq", 2, 40), ("tokens", 5, 70), ("desc", 3, 40)):
            lengths = draw.randint(shortest, longest, count)
            indices = numpy.zeros(count, [("length", "<i4"), ("pos", "<i4")])
            indices["length"], indices["pos"] = lengths, numpy.cumsum(lengths) - lengths
            with (place / f"{part}.{kind}.h5").open("wb") as out:
                numpy.savez(out, phrases=zipf(draw, int(lengths.sum()), 9990) + 4, indices=indices)


def recitals(folder):
    """Noise of a minute and notes at random, as the program keeps them once it has read them."""
    import torch
    draw, place, listed = numpy.random.RandomState(40), folder / "data/MAESTRO", []
    place.mkdir(parents=True, exist_ok=True)
    for index in range(66):
        audio = torch.from_numpy(draw.randint(-9000, 9000, 960000).astype("int16"))
        label = torch.from_numpy(numpy.where(draw.rand(1876, 88) < 0.03, draw.randint(1, 4, (1876, 88)), 0).astype("uint8"))
        torch.save({"path": f"{index}.wav", "audio": audio, "label": label, "velocity": label * 20}, place / f"{index}.pt")
        (place / f"{index}.tsv").touch()
        listed.append({"audio_filename": f"{index}.wav", "midi_filename": f"{index}.midi", "split": "train" if index < 64 else "validation"})
    (place / "maestro-v1.0.0.json").write_text(json.dumps(listed))


def audio_books(folder):
    """Noise of 2 to 16 seconds and sentences of a matching length; 40 different sounds under 1,216 names."""
    draw, first = numpy.random.RandomState(42), []
    for part, count in (("train-clean-100", 400), ("train-clean-360", 800), ("dev-clean", 16)):
        place = folder / f"data/LibriSpeech/{part}/1/1"
        place.mkdir(parents=True, exist_ok=True)
        with open_new(place / "1-1.trans.txt") as out:
            for index in range(count):
                path = place / f"1-1-{index:04}.flac"
                if len(first) < 40:
                    noise(path, int(16000 * (2 + 14 * draw.rand())), index)
                    first.append(path)
                else:
                    path.unlink(missing_ok=True)
                    os.link(first[index % 40], path)
                count_of_words = first[index % 40].stat().st_size // 12000
                out.write(f"1-1-{index:04} {' '.join(draw.choice(['THE', 'OF', 'AND', 'HOUSE', 'RIVER', 'MORNING', 'WITHOUT', 'STRANGER', 'REMEMBERED'], count_of_words))}\n")


def make(row, place):
    globals()[row["data"]]((place / row["cwd"]).resolve())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    place = pathlib.Path(__file__).resolve().parent
    rows = [json.loads(line) for line in (place / "programs.jsonl").read_text().splitlines()]
    for row in rows:
        if row["data"] in LATER and (place / row["cwd"]).is_dir() and (not options.only or row["name"] in options.only.split(",")):
            print(row["name"], flush=True)
            make(row, place)


if __name__ == "__main__":
    main()
