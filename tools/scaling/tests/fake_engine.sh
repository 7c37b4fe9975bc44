#!/bin/sh
# A UCI engine for tests: fake_engine.sh NAME FAULT LOG. It plays one move in each of three positions, goes back and
# forth in a fourth, has one fault, and logs what it is told.
name=$1 fault=$2 log=$3 threads=1 move=e2e4 games=0

search() { # depth
    case $fault:$threads in
    crash:2) echo "assertion failed: thread 2" >&2; exit 3 ;;
    hang:2) sleep 1000 & wait ;;
    rubbish:2) while printf 'info depth \377\000 score \033[2J%s\n' "$RANDOM"; do :; done ;;
    endless:2) while printf 'no end of line '; do :; done ;;
    mute:2) exec >&-; sleep 1000 ;;
    illegal:2) move=e2e5 ;;
    frail:*) exit 3 ;;
    early:*) [ "$move" = e2e4 ] && set -- 1 ;;
    esac
    depth=1
    while [ "$depth" -le "$1" ]; do
        nodes=" nodes $((depth * 1000 * threads))"
        [ "$fault" = uncounted ] && nodes=
        [ "$fault" = noisy ] && printf 'info\nreadyok\n\ninfo depth\ninfo depth 9 score cp 1 lowerbound\n\377\n'
        echo "info depth $depth seldepth $depth multipv 1 score cp 20$nodes time 1 pv $move"
        depth=$((depth + 1))
    done
    echo "bestmove $move ponder e7e5"
}

while read -r line; do
    echo "$name: $line" >>"$log"
    case $line in
    uci)
        [ "$fault" = dies ] && exit 1
        [ "$fault" = deaf ] && sleep 1000
        echo "id name Fake"
        case $fault in
        threadless) ;;
        few) echo "option name Threads type spin default 1 min 1 max 2" ;;
        *) echo "option name Threads type spin default 1 min 1 max 64" ;;
        esac
        [ "$fault" = hashless ] || echo "option name Hash type spin default 16 min 1 max 128"
        [ "$fault" = frail ] && echo "option name UCI_Chess960 type check default false"
        echo "option name Skill Level type spin default 20 min 0 max 20"
        echo uciok
        ;;
    isready) echo readyok ;;
    ucinewgame)
        games=$((games + 1))
        [ "$fault:$games" = leaves:2 ] && exit 4
        ;;
    "setoption name Threads value "*) threads=${line##* } ;;
    "position fen 1k1r4"*) move=d6d1 ;;
    "position fen 7k/5Q2"*) move=f7g7 ;;
    "position fen 4k3/8/8/8/8/8/8/R3K3 w "*)
        moves=${line#*" moves"}
        [ "$moves" = "$line" ] && moves=
        set -- $moves
        case $(($# % 4)) in
        0) move=a1a2 ;;
        1) move=e8e7 ;;
        2) move=a2a1 ;;
        3) move=e7e8 ;;
        esac
        ;;
    "position fen rnbqkbnr"*) move=e2e4 ;;
    "go movetime "*) search 4 ;;
    "go nodes "* | "go wtime "*) search 1 ;;
    "go depth "*) search "${line##* }" ;;
    quit) exit 0 ;;
    esac
done
