//! The sums of the pawns' further rows, by pawn structure.
//!
//! Most moves leave the pawns where they are, so a search meets few structures. Each has a slot,
//! which it shares with others: the latest stays. Source: the pawn hash tables of chess programs,
//! e.g. Crafty's (R. Hyatt).

use super::features::Perspective;
use super::further;
use super::network::{Network, Seeing};
use crate::position::{Bitboard, ByColor, Color, Position};

/// Slots.
const SLOTS: usize = 1024;

/// The sums of a structure, seen by kings on either wing.
struct Slot {
    /// The search that filled it.
    search: u32,
    pawns: [Bitboard; 2],
    /// The flips of the views.
    flips: [u16; 2],
    sums: ByColor<Seeing>,
}

/// The cache, kept from search to search. Entries of earlier searches are ignored: the network may
/// have changed.
pub struct PawnSums {
    slots: Box<[Slot]>,
    search: u32,
}

impl Default for PawnSums {
    fn default() -> Self {
        // No two views have these flips.
        let empty = || Slot {
            search: 0,
            pawns: [Bitboard::EMPTY; 2],
            flips: [0; 2],
            sums: ByColor::default(),
        };
        Self { slots: std::iter::repeat_with(empty).take(SLOTS).collect(), search: 0 }
    }
}

impl PawnSums {
    /// Forgets everything.
    pub fn begin_search(&mut self) {
        self.search = self.search.wrapping_add(1);
    }

    /// The sums of the pawns of `position`, by color of the view.
    #[inline]
    pub fn get(&mut self, network: &Network, position: &Position) -> &ByColor<Seeing> {
        let board = position.board();
        let flips = views(position).map(Perspective::flips);
        let pawns = Color::ALL.map(|color| board.pawns() & board.by_color(color));
        let slot = &mut self.slots[position.pawn_key() as usize % SLOTS];
        if slot.search != self.search || slot.pawns != pawns || slot.flips != flips {
            *slot = Slot { search: self.search, pawns, flips, sums: sums(network, position) };
        }
        &slot.sums
    }
}

/// The sums of the pawns of `position`, by color of the view, from scratch.
pub fn sums(network: &Network, position: &Position) -> ByColor<Seeing> {
    let inputs = further::pawns(position.board(), views(position));
    let mut sums = <[Seeing; 2]>::default();
    network.simd.add_further(&mut sums, &network.further, &inputs);
    let [white, black] = sums;
    ByColor { black, white }
}

/// The views of White and Black.
fn views(position: &Position) -> [Perspective; 2] {
    Color::ALL.map(|color| Perspective::new(color, position.king(color)))
}
