//! The weights of the evaluation, in centipawns for middlegame and endgame.
//!
//! The names are the field's; the numbers are the project's own (see `weights`). Tables indexed by
//! rank count from the owner's first rank, tables indexed by square from the owner's a1.

mod weights;

pub use weights::WEIGHTS;

use super::tapered::Tapered;

/// Knights to queens, as indexed by role.
pub const PIECE_ROLES: usize = 4;

/// The weight of every term of the score.
#[derive(Debug)]
pub struct Weights {
    /// The side to move.
    pub tempo: Tapered,
    /// A pawn, knight, bishop, rook, queen.
    pub material: [Tapered; 5],
    /// Placement: pawn to king, by square.
    pub square: [[Tapered; 64]; 6],
    /// Two or more bishops.
    pub bishop_pair: Tapered,

    /// Mobility of a knight, by the number of safe squares it attacks.
    pub knight_mobility: [Tapered; 9],
    /// Mobility of a bishop.
    pub bishop_mobility: [Tapered; 14],
    /// Mobility of a rook.
    pub rook_mobility: [Tapered; 15],
    /// Mobility of a queen.
    pub queen_mobility: [Tapered; 28],

    /// A knight that no pawn can chase away: without and with the support of a pawn.
    pub knight_outpost: [Tapered; 2],
    /// A bishop that no pawn can chase away: without and with the support of a pawn.
    pub bishop_outpost: [Tapered; 2],
    /// A minor piece sheltered by a pawn in front of it.
    pub minor_behind_pawn: Tapered,
    /// Each pawn on the colour of its own bishop.
    pub bishop_pawns: Tapered,
    /// A bishop that attacks both central squares of its colour.
    pub bishop_long_diagonal: Tapered,
    /// A rook on a file without own pawns (half-open).
    pub rook_half_open: Tapered,
    /// A rook on a file without pawns (open).
    pub rook_open: Tapered,
    /// A rook or queen on the seventh rank that cuts off the king or attacks pawns.
    pub major_on_seventh: Tapered,

    /// A pawn without neighbours: facing an enemy pawn, or on a half-open file.
    pub isolated: [Tapered; 2],
    /// A pawn with an own pawn in front of it.
    pub doubled: Tapered,
    /// A pawn that has fallen behind its neighbours: facing an enemy pawn, or on a half-open file.
    pub backward: [Tapered; 2],
    /// A pawn with another beside it, by rank.
    pub phalanx: [Tapered; 8],
    /// A pawn defended by a pawn, by rank.
    pub supported: [Tapered; 8],

    /// A passed pawn, by rank.
    pub passed: [Tapered; 8],
    /// A passed pawn that cannot move, by rank.
    pub passed_blocked: [Tapered; 8],
    /// A passed pawn whose next square is safe to step on, by rank.
    pub passed_safe_step: [Tapered; 8],
    /// A passed pawn whose whole path is neither attacked nor occupied by the enemy, by rank.
    pub passed_free_path: [Tapered; 8],
    /// Per rank beyond the third and per square between the pawn's next square and its own king.
    pub passed_own_king: Tapered,
    /// Per rank beyond the third and per square between the pawn's next square and the enemy king.
    pub passed_their_king: Tapered,
    /// A passed pawn with an own rook behind it.
    pub passed_own_rook: Tapered,
    /// A passed pawn with an enemy rook behind it.
    pub passed_their_rook: Tapered,
    /// A passed pawn that a lone king cannot catch.
    pub passed_unstoppable: Tapered,

    /// Enemy pawn to queen attacked by a pawn.
    pub threat_by_pawn: [Tapered; 5],
    /// Enemy pawn to queen, not defended by a pawn, attacked by a minor piece.
    pub threat_by_minor: [Tapered; 5],
    /// Enemy pawn to queen, not defended by a pawn, attacked by a rook.
    pub threat_by_rook: [Tapered; 5],
    /// Undefended enemy piece or pawn attacked by the king.
    pub threat_by_king: Tapered,
    /// Undefended enemy piece or pawn under attack.
    pub hanging: Tapered,
    /// Enemy piece that the safe advance of a pawn would attack.
    pub push_threat: Tapered,
    /// A square from which a minor piece or rook could safely attack the enemy's only queen.
    pub queen_harassed: Tapered,
    /// A square that the enemy attacks but cannot safely use.
    pub restricted: Tapered,
    /// A safe square behind our pawns in the centre, per own piece.
    pub space: Tapered,

    /// The nearest own pawn in front of the king: files from the edge, then rank (0 for none).
    pub shelter: [[Tapered; 8]; 4],
    /// The nearest enemy pawn in front of the king: files from the edge, then rank (0 for none).
    pub storm: [[Tapered; 8]; 4],
    /// The same when one of our pawns blocks it, by rank.
    pub storm_blocked: [Tapered; 8],
    /// The king on a file without own pawns, or without any pawns.
    pub king_file: [Tapered; 2],
    /// No pawns at all on the king's wing.
    pub pawnless_flank: Tapered,
    /// The danger to the enemy king.
    pub danger: DangerWeights,
}

/// Dangers to a king. The middlegame half of the sum counts squared, the endgame half linearly
/// (see [`super::king`]); the unit has no meaning in itself.
#[derive(Debug)]
pub struct DangerWeights {
    /// The base value, before any attack.
    pub base: Tapered,
    /// Each attacker of the king zone: knight, bishop, rook, queen.
    pub attacker: [Tapered; PIECE_ROLES],
    /// Each attack by a piece on a square next to the king.
    pub zone_attack: Tapered,
    /// Each square of the zone that is attacked and defended at most by king or queen.
    pub weak_square: Tapered,
    /// Each safe check: knight, bishop, rook, queen.
    pub safe_check: [Tapered; PIECE_ROLES],
    /// Each other check.
    pub unsafe_check: Tapered,
    /// The attacker has no queen.
    pub no_queen: Tapered,
    /// Each minor piece in its own king's zone.
    pub defender: Tapered,
    /// Each file in the king's zone without a pawn of the defender.
    pub open_file: Tapered,
    /// Each attacked square on the king's wing in its own half; twice if attacked twice.
    pub flank_attack: Tapered,
    /// Each such square that is defended.
    pub flank_defence: Tapered,
}
