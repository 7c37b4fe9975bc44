//! Whether a network has changed in the right direction.
//!
//! What a network says otherwise than another is compared with what the targets say otherwise,
//! position by position. The loss tells less: it also depends on how far the network went. A step
//! in the right direction that is too long has a higher loss, and the mean of both networks a lower
//! one. Positions are compared with others of about as many pieces and the same chance, so that
//! neither the scale of the scores nor how much they count in each phase plays a part: a few games
//! teach these.

use heddle::eval::nnue::network::{BUCKETS, bucket};

/// Bands of winning chances.
const BANDS: usize = 15;

/// What a network says otherwise, over some positions.
#[derive(Clone, Debug)]
pub struct Changes {
    /// By number of pieces and chance.
    cells: Vec<Sums>,
}

/// Sums over the positions of a cell.
#[derive(Copy, Clone, Debug, Default)]
struct Sums {
    count: f64,
    change: f64,
    wanted: f64,
    change_squared: f64,
    wanted_squared: f64,
    product: f64,
}

/// How a network's change compares with what the targets ask for.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Direction {
    /// The correlation of both, −1 to 1. Its square is the share of the loss that the best step
    /// in this direction takes away.
    pub right: f64,
    /// The best step, in units of the change.
    pub step: f64,
}

impl Default for Changes {
    fn default() -> Self {
        Self { cells: vec![Sums::default(); BUCKETS * BANDS] }
    }
}

impl Changes {
    /// Adds a position with `pieces`: the chance of the side to move by the first network, by the
    /// other one and by the target, each from 0 to 1.
    pub fn add(&mut self, pieces: usize, [first, other, target]: [f64; 3]) {
        let band = ((first * BANDS as f64) as usize).min(BANDS - 1);
        let (change, wanted) = (other - first, target - first);
        let cell = &mut self.cells[bucket(pieces) * BANDS + band];
        cell.count += 1.0;
        cell.change += change;
        cell.wanted += wanted;
        cell.change_squared += change * change;
        cell.wanted_squared += wanted * wanted;
        cell.product += change * wanted;
    }

    /// The direction of these changes; `None` if there are none beyond the mean of each cell.
    #[must_use]
    pub fn direction(&self) -> Option<Direction> {
        let (mut change, mut wanted, mut product) = (0.0, 0.0, 0.0);
        for cell in self.cells.iter().filter(|cell| cell.count > 0.0) {
            change += cell.change_squared - cell.change * cell.change / cell.count;
            wanted += cell.wanted_squared - cell.wanted * cell.wanted / cell.count;
            product += cell.product - cell.change * cell.wanted / cell.count;
        }
        let (right, step) = (product / (change * wanted).sqrt(), product / change);
        (change > f64::EPSILON && right.is_finite()).then_some(Direction { right, step })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: [f64; 4] = [0.45, 0.46, 0.47, 0.48];
    const WANTED: [f64; 4] = [0.02, -0.02, 0.04, 0.01];

    /// The direction of these changes where `WANTED` is asked for.
    fn direction(changes: [f64; 4]) -> Option<Direction> {
        let mut seen = Changes::default();
        for (first, (wanted, change)) in FIRST.iter().zip(WANTED.iter().zip(changes)) {
            seen.add(32, [*first, first + change, first + wanted]);
        }
        seen.direction()
    }

    #[test]
    fn a_step_is_as_right_as_it_is_like_what_is_wanted_however_long() {
        for length in [0.5, 3.0] {
            let found = direction(WANTED.map(|wanted| wanted * length)).unwrap();
            assert!((found.right - 1.0).abs() < 1e-9 && (found.step * length - 1.0).abs() < 1e-9);
            let found = direction(WANTED.map(|wanted| wanted * -length)).unwrap();
            assert!((found.right + 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn what_all_positions_of_a_kind_gain_does_not_count() {
        assert_eq!(direction([0.0; 4]), None);
        let (plain, raised) = (WANTED.map(|w| w * w), WANTED.map(|w| w * w + 0.01));
        let (plain, raised) = (direction(plain).unwrap(), direction(raised).unwrap());
        assert!((plain.right - raised.right).abs() < 1e-9, "{plain:?} {raised:?}");
    }
}
