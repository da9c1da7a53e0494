//! Every bound of the wire, in one place.

use std::time::Duration;

/// One line of either direction, its line feed not counted. Longer ends the generation.
pub const LINE_BYTES: usize = 4 * 1024 * 1024;
/// One response. A larger one is answered with fewer elements, or `response_too_large`.
pub const RESPONSE_BYTES: usize = 1024 * 1024;
/// Lines that are no usable message, in one generation. The last of them ends it.
pub const VIOLATIONS_PER_GENERATION: u32 = 3;
/// One identifier.
pub const IDENTIFIER_BYTES: usize = 128;
/// Requests of one host that wait for their answer at the same time.
pub const REQUESTS_IN_FLIGHT: usize = 64;
/// The largest request id: what a JSON number carries exactly.
pub const REQUEST_ID: u64 = (1 << 53) - 1;

/// How long `host.hello` may take.
pub const HELLO_DEADLINE: Duration = Duration::from_secs(10);
/// How long any other request may take, unless its caller says less.
pub const REQUEST_DEADLINE: Duration = Duration::from_secs(20);
/// How long the answer may take once `$/cancel` was sent. Then the executor is killed.
pub const CANCEL_GRACE: Duration = Duration::from_secs(2);
/// How long the acknowledgement of a fence may take. Then the executor is killed and reaped.
pub const FENCE_DEADLINE: Duration = Duration::from_millis(250);
/// How long the executor may go on after it was told to end. Then it is killed.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);
