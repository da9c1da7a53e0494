//! What the contract promises, shown on the production seat.

mod actions;
mod bounds;
mod compile;
mod desktop;
mod document;
mod executor;
mod facts;
mod house;
mod input;
mod invariants;
mod locks;
mod producers;
mod sources;
mod traits;
