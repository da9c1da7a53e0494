//! What the contract promises, shown on the production seat.

mod actions;
mod bounds;
mod compile;
mod desktop;
mod document;
mod facts;
mod house;
mod invariants;
mod locks;
mod producers;
mod sources;
mod traits;
