//! An efficiently updatable neural network (Y. Nasu, 2018) of the engine's own training.

pub mod features;
pub mod network;
