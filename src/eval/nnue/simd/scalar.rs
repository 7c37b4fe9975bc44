//! Scalar code, with which the vector paths must agree.

use crate::eval::nnue::network::{QA, Row};

/// See [`super::activate`].
pub fn activate(sums: &Row, weights: &Row) -> i32 {
    let term = |(&sum, &weight): (&i16, &i16)| {
        let value = i32::from(sum).clamp(0, QA);
        value * value * i32::from(weight)
    };
    sums.0.iter().zip(&weights.0).map(term).sum()
}
