"""Stands in for torchaudio: sound is read from raw 16-bit files of 16 kHz, whatever their names; filter banks without Kaldi's finer points."""
import numpy
import torch


def load(path):
    return torch.from_numpy(numpy.fromfile(path, "int16").astype("float32") / 32768)[None], 16000


class compliance:
    class kaldi:
        @staticmethod
        def fbank(waveform, num_mel_bins=23, channel=-1, sample_frequency=16000.0, frame_length=25.0, frame_shift=10.0, dither=0.0):
            width, step = int(sample_frequency * frame_length / 1000), int(sample_frequency * frame_shift / 1000)
            power = torch.fft.rfft(waveform[0].unfold(0, width, step) * torch.hann_window(width), 512).abs() ** 2
            centres, bins = torch.linspace(0, 256, num_mel_bins + 2)[1:-1], torch.arange(257)
            return (power @ (1 - (bins[:, None] - centres).abs() * num_mel_bins / 256).clamp(min=0)).clamp(min=1e-6).log()
