#!/usr/bin/env python3
"""A small network that estimates deep searches from the short ones of a game, to label more positions than can be searched.

It sees the static evaluation, the searches of a position, of the eight plies after it and of the two before, the result of
the game, the fifty-move clock and the number of pieces, but not the board: what a search finds, the next ones confirm or
refute. A processor trains it in a minute. Source: R. Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988,
whose λ-return is such an estimate with fixed weights.

    heddle data rescore games.vf --eval my.nnue --nodes 5000 -o labels.vf
    heddle data rows games.vf --eval my.nnue -o games.rows
    heddle data rows labels.vf --all -o labels.rows
    estimator.py learn games.rows --labels labels.rows -o estimator.pt
    estimator.py label games.rows more.rows --estimator estimator.pt
    heddle data relabel games.vf --scores games.rows.scores -o taught.vf
    heddle train taught.vf --from my.nnue --trace 0 --logistic 200 ...

The estimates are on the scale of the static evaluation: the search's margins are for that one. Needs PyTorch.
"""

import argparse
import sys

import numpy
import torch
from torch import nn

ROW = 64  # bytes; `heddle data rows` documents them
PLACE = 36  # the first bytes: board, clocks and ply
NONE = -32768  # no such search
RESULTS = 3  # lost, drawn, won
LOGISTIC = 200.0  # centipawns that multiply the odds by e
LIMIT = 9000  # centipawns; a label of `heddle data relabel` may have 10,000
LARGE = 1200.0  # centipawns: more is as good as won
NEAR = 1.5  # log odds within which the scale of the labels is measured
HELD = 0.1  # share of the labels that are held out: those of the last games
WIDTHS = (256, 128)
RATE, DECAY, BATCH = 2e-3, 0.01, 512
CHUNK = 1 << 16  # positions labelled at a time


def read(path):
    return numpy.fromfile(path, dtype=numpy.uint8).reshape(-1, ROW)


def scores(rows):
    """Twelve a position: the static evaluation, its own search, the eight after it, the two before."""
    return rows[:, 36:60].copy().view("<i2").astype(numpy.float32)


def decode(rows):
    """What the estimator sees, and the log odds of the static evaluation."""
    found = scores(rows)
    missing = found == NONE
    odds = numpy.where(missing, 0, numpy.clip(found, -LARGE, LARGE) / LOGISTIC)
    chances = 4 * (1 / (1 + numpy.exp(-odds)) - 0.5)
    result = numpy.eye(RESULTS)[rows[:, 60]]
    clocks = numpy.stack([rows[:, 32] / 50, rows[:, 33] / 16 - 1], 1)
    seen = numpy.concatenate([chances, odds / 2, missing[:, 2:], result, clocks], 1)
    return torch.from_numpy(seen.astype(numpy.float32)), torch.from_numpy(found[:, 0] / LOGISTIC)


class Estimator(nn.Module):
    """Begins as the static evaluation; `scale` is what its estimates are divided by to have the evaluation's scale."""

    def __init__(self, inputs):
        super().__init__()
        first, second = WIDTHS
        out = nn.Linear(second, 1)
        nn.init.zeros_(out.weight)
        nn.init.zeros_(out.bias)
        self.layers = nn.Sequential(nn.Linear(inputs, first), nn.ReLU(), nn.Linear(first, second), nn.ReLU(), out)
        self.register_buffer("scale", torch.ones(()))

    def forward(self, seen, odds):
        return odds + self.layers(seen).squeeze(1)


def join(paths, labels):
    """The positions that have a quiet label: what is seen of them, their evaluations and labels as log odds."""
    rows = numpy.concatenate([read(path) for path in paths])
    searched = numpy.concatenate([read(path) for path in labels])
    searched = searched[searched[:, 61] == 0]
    keys, wanted = (numpy.ascontiguousarray(some[:, :PLACE]).view(f"V{PLACE}").ravel() for some in (rows, searched))
    order = numpy.argsort(keys, kind="stable")
    place = order[numpy.searchsorted(keys[order], wanted).clip(max=len(keys) - 1)]
    found = keys[place] == wanted
    if not found.any():
        sys.exit("no label is of a position of these rows")
    by_game = numpy.argsort(place[found], kind="stable")
    target = torch.from_numpy(scores(searched[found])[:, 1][by_game] / LOGISTIC)
    return *decode(rows[place[found]][by_game]), target


def learn(args):
    seen, odds, label = join(args.rows, args.labels)
    target = torch.sigmoid(label)
    count = int((1 - HELD) * len(label))
    net = Estimator(seen.shape[1])
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=DECAY)
    steps = args.epochs * -(-count // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)

    def error(part, guess=None):
        guess = net(seen[part], odds[part]) if guess is None else guess[part]
        return ((torch.sigmoid(guess) - target[part]) ** 2).mean()

    held = slice(count, None)
    print(f"{count} labels, {len(label) - count} held out; error of the static evaluation {error(held, odds):.5f}")
    for epoch in range(args.epochs):
        for part in torch.randperm(count).split(BATCH):
            optimiser.zero_grad()
            error(part).backward()
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            print(f"epoch {epoch + 1}: error {error(held):.5f}", flush=True)
    with torch.no_grad():
        near = odds.abs() < NEAR
        net.scale = (net(seen, odds) * odds)[near].sum() / (odds[near] ** 2).sum()
    print(f"scale {net.scale:.3f}")
    torch.save(net.state_dict(), args.output)


@torch.no_grad()
def label(args):
    weights = torch.load(args.estimator, weights_only=True)
    net = Estimator(weights["layers.0.weight"].shape[1])
    net.load_state_dict(weights)
    for path in args.rows:
        rows = read(path)
        parts = (rows[begin : begin + CHUNK] for begin in range(0, len(rows) or 1, CHUNK))
        estimates = [net(*decode(part)) / net.scale * LOGISTIC for part in parts]
        estimates = torch.cat(estimates).round().clamp(-LIMIT, LIMIT).to(torch.int16)
        estimates.numpy().astype("<i2").tofile(f"{path}.scores")
        print(f"{path}.scores: {len(rows)} positions")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("learn", help="learn from positions of games that have been searched anew")
    command.add_argument("rows", nargs="+", help="positions of games, as rows")
    command.add_argument("--labels", nargs="+", required=True, help="some of them searched anew, as rows")
    command.add_argument("--epochs", type=int, default=12)
    command.add_argument("-o", "--output", required=True, help="write the estimator here")
    command.set_defaults(run=learn)
    command = commands.add_parser("label", help="write an estimate for every row, to FILE.scores")
    command.add_argument("rows", nargs="+", metavar="FILE", help="positions of games, as rows")
    command.add_argument("--estimator", required=True)
    command.set_defaults(run=label)
    args = parser.parse_args()
    torch.manual_seed(1)
    args.run(args)


if __name__ == "__main__":
    main()
