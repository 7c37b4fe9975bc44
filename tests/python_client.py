"""Plays with the engine through python-chess, which complains about whatever violates the protocol.

Usage: python_client.py <engine>. Exits with 0 if all is well.
"""

import logging
import random
import sys

import chess
import chess.engine

THREADS = (1, 4)
# Seconds to wait for an answer; generous, for busy machines.
PATIENCE = 120.0


class Complaints(logging.Handler):
    """Collects the complaints of python-chess about the engine's output, and counts ponderhits."""

    def __init__(self):
        super().__init__()
        self.lines = []
        self.hits = 0

    def emit(self, record):
        message = record.getMessage()
        if record.levelno >= logging.WARNING:
            self.lines.append(message)
        elif message.endswith("<< ponderhit"):
            self.hits += 1


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(map(str, what)))


def analyse_with_several_lines(engine):
    for board, lines in ((chess.Board(), 4), (chess.Board("7k/8/5K2/8/8/8/8/6R1 b - - 0 1"), 3)):
        found = engine.analyse(board, chess.engine.Limit(depth=5), multipv=lines)
        check(len(found) == min(lines, board.legal_moves.count()), len(found), "lines")
        first = [info["pv"][0] for info in found]
        check(len(set(first)) == len(first), "lines begin alike", first)
        scores = [info["score"].relative for info in found]
        check(scores == sorted(scores, reverse=True), "lines out of order", scores)
        for info in found:
            played = board.copy()
            for move in info["pv"]:
                check(move in played.legal_moves, move, "in", played.fen())
                played.push(move)
    with engine.analysis(chess.Board(), multipv=2) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 4:
                break
        analysis.stop()
        check(analysis.wait().move in chess.Board().legal_moves)


def play(engine, board, limit, plies, ponder=False, opponent=None):
    """Plays on from `board`; a random opponent, if any, sometimes plays the expected move."""
    dice = random.Random(1)
    game = object()
    expected = None
    for ply in range(plies):
        if board.is_game_over():
            break
        if opponent and ply % 2 == 1:
            moves = list(board.legal_moves)
            is_hit = expected in moves and dice.random() < 0.6
            board.push(expected if is_hit else dice.choice(moves))
            continue
        result = engine.play(board, limit, game=game, ponder=ponder)
        check(result.move in board.legal_moves, result.move, "in", board.fen())
        expected = result.ponder
        board.push(result.move)
    return board


def games(engine):
    clock = chess.engine.Limit(
        white_clock=2.0, black_clock=2.0, white_inc=0.01, black_inc=0.01
    )
    board = play(engine, chess.Board(), clock, 24)
    check(len(board.move_stack) == 24 or board.is_game_over(), "game cut short")
    play(engine, chess.Board(), chess.engine.Limit(nodes=500), 30)
    play(engine, chess.Board(), clock, 30, ponder=True, opponent="dice")
    for number in (0, 354, 959):
        board = chess.Board.from_chess960_pos(number)
        board = play(engine, board, chess.engine.Limit(depth=3), 20)
        check(board.is_valid(), board.fen())
    castling = chess.Board("1k6/8/8/8/8/8/8/5KR1 w G - 0 1", chess960=True)
    only = [chess.Move.from_uci("f1g1")]
    result = engine.play(castling, chess.engine.Limit(depth=2), root_moves=only)
    check(result.move == only[0], result.move)


def no_move(engine):
    for fen in ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"):
        result = engine.play(chess.Board(fen), chess.engine.Limit(depth=3))
        check(result.move is None, result.move, "in", fen)


def main(path):
    complaints = Complaints()
    logger = logging.getLogger("chess.engine")
    logger.addHandler(complaints)
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    for threads in THREADS:
        with chess.engine.SimpleEngine.popen_uci(path, timeout=PATIENCE) as engine:
            engine.configure({"Threads": threads, "Hash": 2})
            engine.ping()
            analyse_with_several_lines(engine)
            games(engine)
            no_move(engine)
            engine.quit()
            check(engine.returncode.result(PATIENCE) == 0, "exit status")
    check(not complaints.lines, *complaints.lines)
    check(complaints.hits > 0, "no ponderhit was tried")


if __name__ == "__main__":
    main(sys.argv[1])
