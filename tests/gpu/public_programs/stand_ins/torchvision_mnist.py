"""Stands in for torchvision's MNIST: grey noise with a bright row that tells the digit, made when it is asked for."""
import torch


class MNIST:
    def __init__(self, root, train=True, transform=None, download=False):
        draw = torch.Generator().manual_seed(int(train))
        self.length = 60000 if train else 10000
        self.digits = torch.randint(0, 10, (1000,), generator=draw)
        self.images = torch.rand(1000, 1, 28, 28, generator=draw)
        self.images[torch.arange(1000), 0, 2 * self.digits + 4] += 1

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if index >= self.length:
            raise IndexError(index)
        return self.images[index % 1000], int(self.digits[index % 1000])


class datasets:
    MNIST = MNIST
