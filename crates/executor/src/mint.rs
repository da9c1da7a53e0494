use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};

/// Makes identifiers that nobody outside this process can make: each is a hash over a secret of this run.
#[derive(Debug)]
pub(crate) struct Mint {
    nonce: Nonce,
    minted: AtomicU64,
}

struct Nonce([u8; 16]);

impl std::fmt::Debug for Nonce {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Nonce")
    }
}

/// The system gave no randomness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no randomness")]
pub struct NoRandomness;

impl Mint {
    pub(crate) fn new() -> Result<Self, NoRandomness> {
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).map_err(|_| NoRandomness)?;
        Ok(Self { nonce: Nonce(nonce), minted: AtomicU64::new(0) })
    }

    /// 22 characters, never the same twice.
    pub(crate) fn mint(&self) -> String {
        let count = self.minted.fetch_add(1, Ordering::Relaxed);
        let hash = Sha256::new().chain_update(self.nonce.0).chain_update(count.to_be_bytes()).finalize();
        let mut rest = u128::from_be_bytes(hash[..16].try_into().expect("a SHA-256 has 32 bytes"));
        let mut text = String::with_capacity(CHARACTERS);
        for _ in 0..CHARACTERS {
            text.push(char::from(ALPHABET[(rest % ALPHABET.len() as u128) as usize]));
            rest /= ALPHABET.len() as u128;
        }
        text
    }
}

const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// 62²² is more than 2¹²⁸.
const CHARACTERS: usize = 22;
