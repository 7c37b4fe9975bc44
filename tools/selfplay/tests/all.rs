//! The integration tests as one program, which is linked once.

mod datagen;
mod faults;
