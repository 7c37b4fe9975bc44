//! The integration tests as one program, which is linked once.

mod jobs;
mod mpirun;
