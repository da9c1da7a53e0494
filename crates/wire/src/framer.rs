use crate::{Violation, bounds};

/// Cuts a stream of bytes into lines. Sans-I/O: bytes go in by [`Framer::feed`], lines come out by
/// [`Framer::next_line`]. Blank lines are left out.
#[derive(Debug)]
pub struct Framer {
    buffer: Vec<u8>,
    /// Where the next line begins in `buffer`.
    start: usize,
    /// Up to where `buffer` is known to hold no line feed.
    searched: usize,
    limit: usize,
    broken: bool,
}

impl Default for Framer {
    fn default() -> Self {
        Self::with_limit(bounds::LINE_BYTES)
    }
}

impl Framer {
    /// `limit` is the longest line in bytes, its line feed not counted.
    pub fn with_limit(limit: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, searched: 0, limit, broken: false }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        if self.broken {
            return;
        }
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole line, without its line feed, or `None` until more bytes come. After
    /// [`Violation::LineTooLong`] there is nothing more: the stream cannot be trusted to be in step again.
    pub fn next_line(&mut self) -> Option<Result<&[u8], Violation>> {
        loop {
            if self.broken {
                return None;
            }
            let end = self.find_line_feed();
            if end.unwrap_or(self.buffer.len()) - self.start > self.limit {
                self.broken = true;
                self.buffer = Vec::new();
                return Some(Err(Violation::LineTooLong));
            }
            let (start, end) = (self.start, end?);
            self.start = end + 1;
            self.searched = self.start;
            if !self.buffer[start..end].trim_ascii().is_empty() {
                return Some(Ok(&self.buffer[start..end]));
            }
        }
    }

    /// Bytes of a line that has not ended.
    pub fn unfinished_bytes(&self) -> usize {
        self.buffer.len() - self.start.min(self.buffer.len())
    }

    fn find_line_feed(&mut self) -> Option<usize> {
        let found = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let end = found.map(|offset| self.searched + offset);
        self.searched = end.unwrap_or(self.buffer.len());
        end
    }
}
