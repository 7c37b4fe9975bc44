//! The integration tests as one program, which is linked once.

mod cluster;
mod jobs;
mod mpirun;
