"""Positions as rows of 64 bytes, as `heddle data rows` writes and documents them."""

import numpy
import torch

ROW = 64  # bytes
NONE = -32768  # no such search
RESULTS = 3  # lost, drawn, won
LOGISTIC = 200.0  # centipawns that multiply the odds by e


def read(path):
    rows = numpy.fromfile(path, dtype=numpy.uint8)
    if len(rows) % ROW:
        raise SystemExit(f"{path}: not a file of rows")
    return torch.from_numpy(rows.reshape(-1, ROW))


def scores(rows):
    """Twelve a position: the static evaluation, its own search, the eight after it, the two before."""
    return rows[:, 36:60].contiguous().view(torch.int16).float()


def keys(rows):
    """A 64-bit number for the board, clock and ply of each row."""
    words = rows[:, :36].contiguous().view(torch.int32).long()
    key = torch.zeros(len(rows), dtype=torch.int64, device=rows.device)
    for column in words.T:
        key = (key ^ column) * 6364136223846793005 + 1442695040888963407
        key = key ^ (key >> 29)
    return key


def find(wanted, among):
    """Which of the `wanted` keys are `among` others, and the places of these."""
    order = among.sort()
    place = torch.searchsorted(order.values, wanted).clamp_max(len(among) - 1)
    found = order.values[place] == wanted
    return found, order.indices[place[found]]


def chance(score):
    return torch.sigmoid(score / LOGISTIC)


def write_scores(path, parts):
    """Writes the estimates of a file of rows, in centipawns, beside it, and returns its name."""
    name = f"{path}.scores"
    with open(name, "wb") as file:
        for part in parts:
            file.write(part.round().cpu().numpy().astype("<i2").tobytes())
    return name
