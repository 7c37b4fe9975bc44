//! The integration tests as one program, which is linked once.

mod architecture;
mod cli;
mod common;
mod debug_log;
mod documents;
mod games;
mod lockstep;
mod memory;
mod packaging;
mod perft;
mod python_client;
mod records;
mod search_smp;
mod spsa;
mod stress;
mod suite;
mod tablebase;
mod terminal;
mod torture;
mod uci;
mod uci_faults;
