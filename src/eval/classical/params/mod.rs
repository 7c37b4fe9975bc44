//! The weights of the evaluation, in centipawns for middlegame and endgame.
//!
//! The names are the field's; the numbers are the project's own (see `weights`). A table that is
//! indexed by rank counts from the owner's first rank, a table of squares from the owner's a1.

mod weights;

pub use weights::WEIGHTS;

use super::tapered::Tapered;

/// Knights to queens, as tables by role count them.
pub const PIECE_ROLES: usize = 4;

/// The weight of every term of the score.
#[derive(Debug)]
pub struct Weights {
    /// The right to move.
    pub tempo: Tapered,
    /// A pawn, knight, bishop, rook, queen.
    pub material: [Tapered; 5],
    /// Placement: pawn to king, by square.
    pub square: [[Tapered; 64]; 6],
    /// Two bishops or more.
    pub bishop_pair: Tapered,

    /// Mobility, by squares a knight can safely go to.
    pub knight_mobility: [Tapered; 9],
    /// Mobility of a bishop.
    pub bishop_mobility: [Tapered; 14],
    /// Mobility of a rook.
    pub rook_mobility: [Tapered; 15],
    /// Mobility of a queen.
    pub queen_mobility: [Tapered; 28],

    /// A knight that no pawn can chase away: without, with the support of a pawn.
    pub knight_outpost: [Tapered; 2],
    /// A bishop that no pawn can chase away: without, with the support of a pawn.
    pub bishop_outpost: [Tapered; 2],
    /// A minor piece sheltered by a pawn in front of it.
    pub minor_behind_pawn: Tapered,
    /// A pawn on the colour of its own bishop, for each of them.
    pub bishop_pawns: Tapered,
    /// A bishop that looks at both squares of the centre.
    pub bishop_long_diagonal: Tapered,
    /// A rook on a file without own pawns.
    pub rook_half_open: Tapered,
    /// A rook on a file without pawns.
    pub rook_open: Tapered,
    /// A rook or queen on the seventh rank that cuts off the king or attacks pawns.
    pub major_on_seventh: Tapered,

    /// A pawn without neighbours: facing an enemy pawn, on a half-open file.
    pub isolated: [Tapered; 2],
    /// A pawn with an own pawn in front of it.
    pub doubled: Tapered,
    /// A pawn that has fallen behind its neighbours: facing an enemy pawn, on a half-open file.
    pub backward: [Tapered; 2],
    /// A pawn beside another, by rank.
    pub phalanx: [Tapered; 8],
    /// A pawn defended by another, by rank.
    pub supported: [Tapered; 8],

    /// A passed pawn, by rank.
    pub passed: [Tapered; 8],
    /// A passed pawn that cannot move, by rank.
    pub passed_blocked: [Tapered; 8],
    /// A passed pawn whose next square is not attacked, by rank.
    pub passed_safe_step: [Tapered; 8],
    /// A passed pawn whose whole path is neither attacked nor held, by rank.
    pub passed_free_path: [Tapered; 8],
    /// For each rank beyond the third and each square between the pawn's next and its own king.
    pub passed_own_king: Tapered,
    /// For each rank beyond the third and each square between the pawn's next and their king.
    pub passed_their_king: Tapered,
    /// A passed pawn with an own rook behind it.
    pub passed_own_rook: Tapered,
    /// A passed pawn with an enemy rook behind it.
    pub passed_their_rook: Tapered,
    /// A passed pawn that a lone king cannot catch.
    pub passed_unstoppable: Tapered,

    /// Their pawn to queen attacked by a pawn.
    pub threat_by_pawn: [Tapered; 5],
    /// Their pawn to queen, not defended by a pawn, attacked by a minor piece.
    pub threat_by_minor: [Tapered; 5],
    /// Their pawn to queen, not defended by a pawn, attacked by a rook.
    pub threat_by_rook: [Tapered; 5],
    /// Their undefended piece or pawn attacked by the king.
    pub threat_by_king: Tapered,
    /// Their undefended piece or pawn under attack.
    pub hanging: Tapered,
    /// Their piece that the safe advance of a pawn would attack.
    pub push_threat: Tapered,
    /// A square from which a minor or rook could safely attack their only queen.
    pub queen_harassed: Tapered,
    /// A square that they attack and may not safely use.
    pub restricted: Tapered,
    /// A safe square behind the own pawns in the centre, for each own piece.
    pub space: Tapered,

    /// The nearest own pawn in front of the king: files from the edge, then rank (0 for none).
    pub shelter: [[Tapered; 8]; 4],
    /// Their nearest pawn in front of the king: files from the edge, then rank (0 for none).
    pub storm: [[Tapered; 8]; 4],
    /// The same when an own pawn stands in its way, by rank.
    pub storm_blocked: [Tapered; 8],
    /// The king on a file without own pawns, on a file without pawns.
    pub king_file: [Tapered; 2],
    /// No pawn at all on the king's wing.
    pub pawnless_flank: Tapered,
    /// The danger to their king.
    pub danger: DangerWeights,
}

/// What endangers a king. The sum's middlegame half counts by its square, its endgame half as it
/// is (see [`super::king`]); the unit is of no meaning in itself.
#[derive(Debug)]
pub struct DangerWeights {
    /// What stands before any attack.
    pub base: Tapered,
    /// An attacker of the king zone: knight, bishop, rook, queen.
    pub attacker: [Tapered; PIECE_ROLES],
    /// An attack by a piece on a square next to the king.
    pub zone_attack: Tapered,
    /// A square of the zone that is attacked and at most defended by king or queen.
    pub weak_square: Tapered,
    /// Checks that cannot be answered by a capture: knight, bishop, rook, queen.
    pub safe_check: [Tapered; PIECE_ROLES],
    /// The other checks.
    pub unsafe_check: Tapered,
    /// The attacker has no queen.
    pub no_queen: Tapered,
    /// A minor piece in its own king's zone.
    pub defender: Tapered,
    /// A file in the king's zone without a pawn of the defender.
    pub open_file: Tapered,
    /// A square on the king's wing, in its own half, that is attacked, and once more if twice.
    pub flank_attack: Tapered,
    /// A square there that is defended.
    pub flank_defence: Tapered,
}
