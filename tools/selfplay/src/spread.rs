//! How loud others' scores are: the factor that brings them to our scale.

/// Sums of the sizes of scores of the same positions: ours, and another's in units of its own.
#[derive(Copy, Clone, Debug, Default)]
pub struct Spread {
    /// Positions that have been compared.
    pub positions: f64,
    ours: f64,
    theirs: f64,
}

impl Spread {
    /// Notes one position: our score in centipawns, and theirs.
    pub fn note(&mut self, ours: f64, theirs: f64) {
        self.positions += 1.0;
        self.ours += ours.abs();
        self.theirs += theirs.abs();
    }

    /// Our centipawns in one of their units; `None` if either side has said nothing.
    pub fn ratio(self) -> Option<f64> {
        (self.ours > 0.0 && self.theirs > 0.0).then(|| self.ours / self.theirs)
    }
}
