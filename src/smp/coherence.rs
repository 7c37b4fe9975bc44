//! The memory that workers may share, as an observer sees it.
//!
//! On a machine with many cores a line that one core has written must travel to each that reads it next. So the
//! search tells an [`Observer`] what it reads and writes. That of the search that plays does nothing, and the
//! compiler leaves it out; `heddle scaling` simulates caches.

/// Bytes of a cache line.
const LINE: usize = 64;

/// A structure that workers share, or may share.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// The histories of quiet moves by their squares.
    Butterfly,
    /// The histories of quiet moves by the moves before.
    Continuation,
    /// The errors of the evaluation.
    Correction,
    /// The histories of captures.
    Capture,
    /// The histories of quiet moves by the pawns.
    Pawn,
    /// The transposition table.
    Table,
    /// The workers' notes: nodes, opinions, effort.
    Board,
}

impl Structure {
    /// Every structure.
    pub const ALL: [Self; 7] = [
        Self::Butterfly,
        Self::Continuation,
        Self::Correction,
        Self::Capture,
        Self::Pawn,
        Self::Table,
        Self::Board,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Butterfly => "butterfly",
            Self::Continuation => "continuation",
            Self::Correction => "correction",
            Self::Capture => "capture",
            Self::Pawn => "pawn",
            Self::Table => "table",
            Self::Board => "board",
        }
    }
}

/// A cache line, known by an address in it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CacheLine(usize);

impl CacheLine {
    /// The line that begins with `first`.
    #[inline]
    pub fn of<T>(first: &T) -> Self {
        Self(std::ptr::from_ref(first).addr())
    }

    /// The line of a cell of `table`, as if the table began a line: where it really does is the allocator's choice.
    #[inline]
    pub fn within<T: ?Sized, C>(table: &T, cell: &C) -> Self {
        let start = std::ptr::from_ref(table).addr();
        let offset = std::ptr::from_ref(cell).addr() - start;
        Self(start + offset / LINE * LINE)
    }
}

/// Sees the accesses of one worker to memory that it may share.
pub trait Observer: Clone {
    /// The worker reads a line.
    #[inline]
    fn read(&self, _: Structure, _: CacheLine) {}
    /// The worker writes a line, which it has read.
    #[inline]
    fn write(&self, _: Structure, _: CacheLine) {}
}

/// Looks away: the search that plays.
#[derive(Copy, Clone, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn cells_within_a_line_of_their_table_share_it() {
        let table = [[0i16; 40]; 3];
        let cells = table.as_flattened();
        let line = |index: usize| CacheLine::within(&table, &cells[index]);
        assert_eq!(line(0), CacheLine::of(&table));
        assert_eq!(line(31), line(0));
        assert_eq!(line(32), line(63));
        assert_ne!(line(32), line(31));
        let all: std::collections::HashSet<_> = (0..cells.len()).map(line).collect();
        assert_eq!(all.len(), size_of_val(&table).div_ceil(LINE));
    }
}
