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

import torch
from torch import nn
from torch.nn import functional as F

from rows import LOGISTIC, NONE, RESULTS, chance, find, keys, read, scores, write_scores

LIMIT = 9000  # centipawns; a label of `heddle data relabel` may have 10,000
LARGE = 1200.0  # centipawns: more is as good as won
NEAR = 1.5  # log odds within which the scale of the labels is measured
HELD = 0.1  # share of the labels that are held out: those of the last games
WIDTHS = (256, 128)
RATE, DECAY, BATCH = 2e-3, 0.01, 512
CHUNK = 1 << 12  # positions labelled at a time: a processor's cache holds them


def decode(rows):
    """What the estimator sees, and the log odds of the static evaluation."""
    found = scores(rows)
    missing = found == NONE
    odds = (found.clamp(-LARGE, LARGE) / LOGISTIC).masked_fill(missing, 0)
    result = F.one_hot(rows[:, 60].long(), RESULTS)
    clocks = torch.stack([rows[:, 32] / 50, rows[:, 33] / 16 - 1], 1)
    seen = torch.cat([4 * (torch.sigmoid(odds) - 0.5), odds / 2, missing[:, 2:], result, clocks], 1)
    return seen, found[:, 0] / LOGISTIC


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
    """The positions that have a quiet label, in the order of the games: what is seen of them, their evaluations as log
    odds, and the chances that the labels say."""
    rows, searched = (torch.cat([read(path) for path in files]) for files in (paths, labels))
    searched = searched[searched[:, 61] == 0]
    found, place = find(keys(searched), keys(rows))
    if len(place) == 0:
        raise SystemExit("no label belongs to a position of these games")
    place, order = place.sort()
    return *decode(rows[place]), chance(scores(searched[found])[order, 1])


def learn(args):
    seen, odds, target = join(args.rows, args.labels)
    count = int((1 - HELD) * len(target))
    net = Estimator(seen.shape[1])
    optimiser = torch.optim.AdamW(net.parameters(), weight_decay=DECAY)
    steps = args.epochs * -(-count // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)

    def error(part, guess=None):
        guess = net(seen[part], odds[part]) if guess is None else guess[part]
        return ((torch.sigmoid(guess) - target[part]) ** 2).mean()

    held = slice(count, None)
    print(f"{count} labels, {len(target) - count} held out; error of the static evaluation {error(held, odds):.5f}")
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
        odds = (net(*decode(part)) / net.scale for part in rows.split(CHUNK))
        name = write_scores(path, ((part * LOGISTIC).clamp(-LIMIT, LIMIT) for part in odds))
        print(f"{name}: {len(rows)} estimates", flush=True)


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
    try:
        args.run(args)
    except OSError as error:
        raise SystemExit(f"{parser.prog}: {error}") from None


if __name__ == "__main__":
    main()
