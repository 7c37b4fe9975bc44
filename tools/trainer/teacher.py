#!/usr/bin/env python3
"""A large network that estimates deep searches, to label more positions than can be searched.

It learns from the positions of games that have been searched anew, and estimates such a score for every quiet
position of any games, on the scale of the static evaluation: the search's margins are for that one. It makes two
estimates: one knows what the small network will not, the searches before and after a position and the result of its
game (V. Vapnik and A. Vashist, "A New Learning Paradigm: Learning Using Privileged Information", 2009); the other
sees the board and the static evaluation only, and learns from the first wherever nothing was searched. The board,
with the squares that each role attacks, is seen by a residual network with squeeze and excitation (K. He and others,
2016; J. Hu and others, 2018), as in Leela Chess Zero.

    heddle data rows games.vf --eval my.nnue -o games.rows
    heddle data rescore games.vf --eval my.nnue --nodes 5000 -o labels.vf
    heddle data rows labels.vf --all -o labels.rows
    teacher.py learn games.rows --labels labels.rows --seconds 300 -o teacher.pt
    teacher.py label games.rows --teacher teacher.pt
    heddle data relabel games.vf --scores games.rows.scores -o taught.vf
    heddle train taught.vf --from my.nnue --trace 0 --logistic 200 ...

Needs PyTorch, and a GPU to learn in minutes. A processor with AMX labels nine thousand positions a second on two
cores with `label --integers`, which also needs torchao.
"""

import argparse
import functools
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

from rows import LOGISTIC, NONE, RESULTS, chance, find, keys, read, scores, write_scores

CODES = 16  # values of a square
EMPTY = 0
ROLES = 6  # one's own pieces have the codes 1 (pawn) to 6 (king), the other side's the next six
UNMOVED_ROOK = 13  # a rook that may castle; the code of the other side's follows
EN_PASSANT = 15
STRAIGHT = ((1, 0), (0, 1), (-1, 0), (0, -1))  # ranks and files
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))
JUMPS = ((2, 1), (2, -1), (-2, 1), (-2, -1), (1, 2), (1, -2), (-1, 2), (-1, -2))
SCORES = 12  # static evaluation, own search, eight later ones, two earlier ones
UNKNOWN = RESULTS  # follows them
LIMIT = 9999  # centipawns: larger scores are as good as won
DROPPED = 32001  # a score that keeps a position out of training
HELD = 0.1  # share of the first file's labels that are held out: its last games
FADE = 0.7  # weight of each later search over the one before, in the trace that the teacher is compared with
WEIGHTS = {"loud": 0.1, "alone": 1.0, "board": 0.25, "result": 0.1}  # of the other tasks
LABELS_FOR_ALL = 3e6  # labels' share of a batch is their number over this, within bounds, so that none is seen too often
DECAY = 0.05
AVERAGE = 0.999  # the estimates are by a moving average of the weights
SETTLING = 50  # batches that give batch normalisation the statistics of the averaged weights
SAMPLES = 8192  # positions that show the integers their ranges
BATCH = 8192  # positions that a GPU estimates at a time
SMALL = 256  # positions that a processor's cache holds at a time
CHUNK = 1 << 20  # rows decoded at a time


class Rows:
    """Positions, on the device."""

    FIELDS = ("codes", "attacked", "scores", "halfmoves", "pieces", "result", "loud", "label")

    @classmethod
    def load(cls, path, device):
        return join([cls.decode(part.to(device)) for part in read(path).split(CHUNK)])

    @classmethod
    def decode(cls, rows):
        self = cls()
        self.codes = torch.stack([rows[:, :32] & 15, rows[:, :32] >> 4], 2).reshape(-1, 64)
        self.attacked = attacks(self.codes)
        self.halfmoves, self.pieces = rows[:, 32].float(), rows[:, 33].float()
        self.scores = scores(rows)
        self.result, self.loud = rows[:, 60].long(), rows[:, 61].float()
        self.label = torch.full_like(self.halfmoves, NONE)
        self.keys = keys(rows)
        return self

    def __len__(self):
        return len(self.keys)

    def take(self, index):
        some = Rows()
        for name in Rows.FIELDS:
            setattr(some, name, getattr(self, name)[index])
        return some

    def mirror(self):
        """Swaps left and right in half of the positions in which nobody may castle."""
        fixed = ((self.codes == 13) | (self.codes == 14)).any(1)
        swap = (torch.rand(len(self.codes), device=self.codes.device) < 0.5) & ~fixed
        mirrored = self.codes.reshape(-1, 8, 8).flip(2).reshape(-1, 64)
        self.codes = torch.where(swap[:, None], mirrored, self.codes)
        self.attacked = torch.where(swap[:, None], flip_files(self.attacked), self.attacked)
        return self

    def become_labels(self):
        """Positions of no game: their own search is the label, and nothing surrounds them."""
        self.label = self.scores[:, 1].clone()
        self.scores[:, 1:] = NONE
        self.result[:] = UNKNOWN
        return self

    def learn_labels(self, labels):
        """Takes the scores of the same positions in `labels`; returns the share of those that were found."""
        found, index = find(labels.keys, self.keys)
        self.label[index] = labels.scores[found, 1]
        self.loud[index] = labels.loud[found]
        return float(found.float().mean())


def join(parts):
    rows = Rows()
    for name in (*Rows.FIELDS, "keys"):
        setattr(rows, name, torch.cat([getattr(part, name) for part in parts]))
    return rows


def trace(scores):
    """The mean chance of the own and later searches."""
    own = scores[:, 1:10]
    weight = (own != NONE) * FADE ** torch.arange(own.shape[1], device=own.device)
    return (chance(own) * weight).sum(1) / weight.sum(1).clamp_min(1e-6)


@functools.cache
def reached_by(step):
    """The squares that a step by ranks and files leads to, as a signed number of 64 bits."""
    ranks, files = step
    squares = sum(1 << s for s in range(64) if 0 <= (s >> 3) - ranks < 8 and 0 <= (s & 7) - files < 8)
    return squares - (squares >> 63 << 64)


def shift(squares, step):
    """Moves sets of squares by a step; what leaves the board is lost."""
    by = 8 * step[0] + step[1]
    return (squares << by if by > 0 else squares >> -by) & reached_by(step)


def flip_files(squares):
    """Swaps left and right in sets of squares."""
    for by, kept in ((1, 0x5555555555555555), (2, 0x3333333333333333), (4, 0x0F0F0F0F0F0F0F0F)):
        squares = (squares >> by) & kept | (squares & kept) << by
    return squares


def steps(pieces, directions):
    """The squares one step away from the pieces."""
    reached = torch.zeros_like(pieces)
    for step in directions:
        reached |= shift(pieces, step)
    return reached


def rays(pieces, empty, directions):
    """The squares that the pieces see along lines of empty ones."""
    reached = torch.zeros_like(pieces)
    for step in directions:
        front = shift(pieces, step)
        for _ in range(7):
            reached |= front
            front = shift(front & empty, step)
    return reached


def attacks(codes):
    """The squares that each role of each side attacks, as sets of 64 bits: 12 for each position."""
    bits = 1 << torch.arange(64, device=codes.device)

    def squares(*kinds):
        return sum(((codes == kind) * bits).sum(1) for kind in kinds)

    empty = squares(EMPTY, EN_PASSANT)
    found = []
    for side, forward in enumerate((1, -1)):
        pawn, knight, bishop, rook, queen, king = (side * ROLES + role for role in range(1, ROLES + 1))
        found += [
            steps(squares(pawn), ((forward, 1), (forward, -1))),
            steps(squares(knight), JUMPS),
            rays(squares(bishop), empty, DIAGONAL),
            rays(squares(rook, UNMOVED_ROOK + side), empty, STRAIGHT),
            rays(squares(queen), empty, STRAIGHT + DIAGONAL),
            steps(squares(king), STRAIGHT + DIAGONAL),
        ]
    return torch.stack(found, 1)


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.first_norm, self.second_norm = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.squeeze, self.excite = nn.Linear(channels, channels // 4), nn.Linear(channels // 4, 2 * channels)
        nn.init.zeros_(self.second_norm.weight)  # a block begins as the identity

    def forward(self, x):
        y = self.second_norm(self.second(F.relu(self.first_norm(self.first(x)))))
        gain, bias = self.excite(F.relu(self.squeeze(y.mean((2, 3))))).chunk(2, 1)
        return F.relu(x + y * torch.sigmoid(gain)[:, :, None, None] + bias[:, :, None, None])


class Board(nn.Module):
    """What the squares and clocks say, in 256 numbers."""

    WIDTH = 256

    def __init__(self, channels, blocks):
        super().__init__()
        self.stem = nn.Conv2d(CODES + 2 * ROLES + 2, channels, 3, padding=1)
        self.blocks = nn.Sequential(*[Block(channels) for _ in range(blocks)])
        self.reduce = nn.Conv2d(channels, 32, 1)
        self.out = nn.Linear(32 * 64 + channels, self.WIDTH)

    def forward(self, codes, attacked, halfmoves, pieces):
        planes = F.one_hot(codes.long(), CODES).permute(0, 2, 1).reshape(-1, CODES, 8, 8).float()
        attacked = (attacked[:, :, None] >> torch.arange(64, device=codes.device)) & 1
        attacked = attacked.reshape(-1, 2 * ROLES, 8, 8).float()
        clocks = torch.stack([halfmoves / 100, pieces / 32], 1)[:, :, None, None].expand(-1, 2, 8, 8)
        x = torch.cat([planes, attacked, clocks], 1).contiguous(memory_format=torch.channels_last)
        x = self.blocks(F.relu(self.stem(x)))
        return F.relu(self.out(torch.cat([F.relu(self.reduce(x)).flatten(1), x.mean((2, 3))], 1)))


class Teacher(nn.Module):
    def __init__(self, channels, blocks):
        super().__init__()
        self.shape = (channels, blocks)
        self.board = Board(channels, blocks)
        self.blind = nn.Linear(Board.WIDTH, 2)  # label and result by the board alone
        self.searches = nn.Linear(3 * SCORES + RESULTS + 1, 128)
        self.joined = nn.Sequential(nn.Linear(Board.WIDTH + 128, 256), nn.ReLU(), nn.Linear(256, 2))
        self.evaluation = nn.Linear(SCORES, 1)
        with torch.no_grad():  # begins as the static evaluation
            self.evaluation.weight.zero_()
            self.evaluation.weight[0, 0] = 1
            self.evaluation.bias.zero_()
            self.joined[2].weight.mul_(0.1)
            self.joined[2].bias.zero_()

    def weigh(self, board, rows, known):
        """Log odds of the label and of a loud position; unless `known`, the searches and the result are hidden."""
        seen = (rows.scores != NONE).float()
        result = F.one_hot(rows.result, RESULTS + 1).float()[:, :RESULTS]
        if not known:
            seen = torch.cat([seen[:, :1], torch.zeros_like(seen[:, 1:])], 1)
            result = torch.zeros_like(result)
        odds = (rows.scores / LOGISTIC).clamp(-8, 8) * seen
        hidden = torch.full_like(seen[:, :1], 1.0 - known)
        facts = [odds / 4, (2 * chance(rows.scores) - 1) * seen, seen, result, hidden]
        joined = self.joined(torch.cat([board, F.relu(self.searches(torch.cat(facts, 1)))], 1))
        return joined[:, 0] + self.evaluation(odds).squeeze(1), joined[:, 1]

    def forward(self, rows):
        """Log odds: of the label as known, of a loud position, of the label from board and evaluation, and of label and
        result by the board alone."""
        with torch.autocast(rows.codes.device.type, torch.bfloat16):
            board = self.board(rows.codes, rows.attacked, rows.halfmoves, rows.pieces)
            known, loud = self.weigh(board, rows, True)
            alone, _ = self.weigh(board, rows, False)
            odds = (known, loud, alone, *self.blind(board).unbind(1))
        return [out.float() for out in odds]


def loss(net, rows):
    known, loud, alone, board, result = net(rows)
    has = (rows.label != NONE).float()
    quiet, every = has * (1 - rows.loud), torch.ones_like(has)

    def cross_entropy(odds, target, weight):
        each = F.binary_cross_entropy_with_logits(odds, target, reduction="none")
        return (each * weight).sum() / weight.sum().clamp_min(1)

    label = chance(rows.label)
    target = torch.where(quiet > 0, label, torch.sigmoid(known.detach()))
    return (
        cross_entropy(known, label, quiet)
        + WEIGHTS["loud"] * cross_entropy(loud, rows.loud, has)
        + WEIGHTS["alone"] * cross_entropy(alone, target, every)
        + WEIGHTS["board"] * cross_entropy(board, target, every)
        + WEIGHTS["result"] * cross_entropy(result, rows.result.float() / 2, (rows.result != UNKNOWN).float())
    )


@torch.no_grad()
def estimate(net, rows, batch=BATCH):
    """Log odds of the label as known, of a loud position, of the label alone and by the board: four columns."""
    net.eval()
    found, count = [], len(rows.codes)
    for begin in range(0, count, batch):
        # All batches are of one size, for which a compiled network is made.
        index = torch.arange(begin, begin + batch, device=rows.codes.device).clamp_max(count - 1)
        found.append(torch.stack(net(rows.take(index))[:4], 1))
    net.train()
    return torch.cat(found)[:count]


@torch.no_grad()
def integers(board, rows):
    """The same network in 8-bit integers, compiled for this processor; their ranges are those in `rows`."""
    from torch._inductor import config
    from torchao.quantization.pt2e import allow_exported_model_train_eval
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

    def seen(begin):
        some = rows.take(torch.arange(begin, begin + SMALL) % len(rows.codes))
        return some.codes, some.attacked, some.halfmoves, some.pieces

    config.freezing = True
    quantizer = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
    board = prepare_pt2e(torch.export.export(board.eval(), seen(0)).module(), quantizer)
    for begin in range(0, len(rows.codes), SMALL):
        board(*seen(begin))
    return torch.compile(allow_exported_model_train_eval(convert_pt2e(board)), dynamic=False)


@torch.no_grad()
def settle(net, batches):
    """Gives batch normalisation the statistics of the weights as they are: averaged ones have their own. Those of the
    latest weights shift the estimates (P. Izmailov and others, "Averaging Weights Leads to Wider Optima", 2018)."""
    for norm in net.modules():
        if isinstance(norm, nn.BatchNorm2d):
            norm.reset_running_stats()
            norm.momentum = None  # a plain mean
    net.train()  # in which it gathers them
    for rows in batches:
        net(rows)


def scale(rows):
    """The shift and slope that turn log odds by the static evaluation into those of the labels."""
    has = (rows.label != NONE) & (rows.loud == 0)
    odds, label = rows.scores[has, 0] / LOGISTIC, chance(rows.label[has])
    fit = torch.tensor([0.0, 1.0], device=odds.device, requires_grad=True)
    optimiser = torch.optim.LBFGS([fit])

    def closure():
        optimiser.zero_grad()
        error = F.mse_loss(torch.sigmoid(fit[0] + fit[1] * odds), label)
        error.backward()
        return error

    optimiser.step(closure)
    return fit.detach().cpu()


def report(net, held):
    """Mean squared errors against labels of games that the network has not learnt from."""
    target = chance(held.label)
    guesses = {"evaluation": chance(held.scores[:, 0]), "search": chance(held.scores[:, 1]), "trace": trace(held.scores)}
    known, _, alone, board = torch.sigmoid(estimate(net, held)).unbind(1)
    guesses |= {"known": known, "alone": alone, "board": board, "mean of known and alone": (known + alone) / 2}
    return ", ".join(f"{name} {float(((guess - target) ** 2).mean()):.5f}" for name, guess in guesses.items())


def train(net, rows, first, args):
    """Trains for some seconds; returns the averaged network. Of the `first` rows the last with labels are held out."""
    device = rows.codes.device
    every = torch.arange(len(rows), device=device)
    labelled = every[rows.label != NONE]
    bar = labelled[int((1 - HELD) * int((labelled < first).sum()))]
    held = (every >= bar) & (every < first)
    quiet = rows.take(every[held & (rows.label != NONE) & (rows.loud == 0)])
    every, labelled = every[~held], labelled[~held[labelled]]
    print(f"{len(every)} positions, {len(labelled)} labels; {len(quiet.codes)} held out", flush=True)

    average = Teacher(*net.shape).to(device, memory_format=torch.channels_last)
    average.load_state_dict(net.state_dict())
    matrices = [p for p in net.parameters() if p.dim() > 1]
    vectors = [p for p in net.parameters() if p.dim() <= 1]
    groups = [{"params": matrices, "weight_decay": DECAY}, {"params": vectors, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=args.rate, betas=(0.9, 0.99), fused=device.type == "cuda")
    taught = int(args.batch * min(0.5, max(0.05, len(labelled) / LABELS_FOR_ALL)))

    def draw(index, count):
        return index[torch.randint(len(index), (count,), device=device)]

    def some():
        return rows.take(torch.cat([draw(labelled, taught), draw(every, args.batch - taught)])).mirror()

    begin, told, step = time.time(), time.time(), 0
    while (share := (time.time() - begin) / args.seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = args.rate * min(1, share / 0.02) * (0.5 + 0.5 * math.cos(math.pi * share))
        optimiser.zero_grad(set_to_none=True)
        loss(net, some()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        step += 1
        with torch.no_grad():
            mix = max(1 - AVERAGE, 1 / (step + 1))
            torch._foreach_lerp_(list(average.parameters()), list(net.parameters()), mix)
        if time.time() - told > 30:
            told = time.time()
            settle(average, (some() for _ in range(SETTLING)))
            speed = step * args.batch / (told - begin)
            print(f"{share:.0%}, {speed:.0f} positions/s:", report(average, quiet), flush=True)
    settle(average, (some() for _ in range(SETTLING)))
    print("held out:", report(average, quiet), flush=True)
    return average


def learn(args):
    parts = [Rows.load(path, args.device) for path in args.rows]
    first, rows = len(parts[0]), join(parts)
    if rows.learn_labels(join([Rows.load(path, args.device) for path in args.labels])) == 0:
        raise SystemExit("no label belongs to a position of these games")
    rows = join([rows] + [Rows.load(path, args.device).become_labels() for path in args.single])
    net = Teacher(args.channels, args.blocks).to(args.device, memory_format=torch.channels_last)
    net = train(net, rows, first, args)
    torch.save({"shape": net.shape, "state": net.state_dict(), "scale": scale(rows)}, args.output)


def label(args):
    device = torch.device("cpu") if args.integers else args.device
    saved = torch.load(args.teacher, map_location=device)
    net = Teacher(*saved["shape"]).to(device, memory_format=torch.channels_last)
    net.load_state_dict(saved["state"])
    if args.integers:
        some = read(args.rows[0])
        net.board = integers(net.board, Rows.decode(some[:: max(1, len(some) // SAMPLES)]))

    def judge(part):
        out = estimate(net, Rows.decode(part.to(device)), SMALL if args.integers else BATCH)
        odds = args.known * out[:, 0] + (1 - args.known) * out[:, 2]
        odds = (odds - saved["scale"][0]) / saved["scale"][1]
        found = (odds * LOGISTIC).clamp(-LIMIT, LIMIT)
        return found.where(out[:, 1] <= 0, DROPPED)  # more likely loud than not

    for path in args.rows:
        rows = read(path)
        name = write_scores(path, map(judge, rows.split(CHUNK)))
        print(f"{name}: {len(rows)} estimates", flush=True)


def main():
    summary, _, rest = __doc__.partition("\n\n")
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=formatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("learn", help="learn from positions that have been searched")
    command.set_defaults(run=learn)
    command.add_argument("rows", nargs="+", metavar="FILE", help="positions of games")
    command.add_argument("--labels", nargs="+", required=True, metavar="FILE", help="positions with scores of deep searches")
    command.add_argument("--single", nargs="+", default=[], metavar="FILE", help="positions of no game with such scores")
    command.add_argument("--seconds", type=float, required=True, help="time to train")
    command.add_argument("--channels", type=int, default=128)
    command.add_argument("--blocks", type=int, default=10)
    command.add_argument("--batch", type=int, default=4096)
    command.add_argument("--rate", type=float, default=2e-3)
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="the teacher")
    command = commands.add_parser("label", help="estimate the scores of positions")
    command.set_defaults(run=label)
    command.add_argument("rows", nargs="+", metavar="FILE", help="positions of games; the estimates go to FILE.scores")
    command.add_argument("--teacher", required=True, metavar="FILE")
    command.add_argument("--integers", action="store_true", help="in 8-bit integers: fast on a processor with AMX")
    command.add_argument("--known", type=float, default=0.5, help="share of the estimate that knows searches and result")
    args = parser.parse_args()
    args.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    torch.backends.cudnn.benchmark = True
    try:
        args.run(args)
    except OSError as error:
        raise SystemExit(f"{parser.prog}: {error}") from None


if __name__ == "__main__":
    main()
