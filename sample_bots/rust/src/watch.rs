//! Notices a line that is dead one way: frames come, but no answers to what this bot has sent. All times are in
//! microseconds on the server's clock, so that neither a pause of this process nor a stall of the server counts.

use tokio::time::Instant;

/// How long a decision may wait for its answer.
const ANSWER_US: i64 = 10_000_000;
/// Between two frames that lack it.
const CONFIRM_US: i64 = 1_000_000;

pub struct Watch {
    began: Instant,
    /// The smallest difference between this machine's clock and the server's.
    offset_us: i64,
    /// When a frame first lacked an answer.
    late_us: Option<i64>,
}

impl Watch {
    pub fn new() -> Self {
        Self { began: Instant::now(), offset_us: i64::MAX, late_us: None }
    }

    /// Notes a frame of an instant, and when the oldest decision without an answer was sent. Returns false if nothing of
    /// what this bot sends arrives.
    pub fn hear(&mut self, now_us: i64, oldest_us: Option<i64>) -> bool {
        self.offset_us = self.offset_us.min(self.local_us() - now_us);
        let is_late = oldest_us.is_some_and(|oldest_us| oldest_us <= now_us - ANSWER_US);
        self.late_us = if is_late { self.late_us.or(Some(now_us)) } else { None };
        self.late_us.is_none_or(|late_us| now_us - late_us < CONFIRM_US)
    }

    pub fn now_us(&self) -> i64 {
        self.local_us() - self.offset_us
    }

    fn local_us(&self) -> i64 {
        i64::try_from(self.began.elapsed().as_micros()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Watch;

    const SECOND: i64 = 1_000_000;

    #[test]
    fn a_line_that_is_dead_one_way_is_noticed_by_the_frames() {
        let mut watch = Watch::new();
        assert!([3 * SECOND, 9 * SECOND, 10 * SECOND, 11 * SECOND - 1].into_iter().all(|now| watch.hear(now, Some(0))));
        assert!(!watch.hear(11 * SECOND, Some(0)));
    }

    #[test]
    fn a_stall_of_the_server_is_no_dead_line() {
        let mut watch = Watch::new();
        assert!(watch.hear(30 * SECOND, Some(0)));
        assert!(watch.hear(30 * SECOND + 1, None)); // the answer comes in the next frame
        assert!(watch.hear(50 * SECOND, Some(31 * SECOND)));
        assert!(watch.hear(70 * SECOND, Some(65 * SECOND)));
    }
}
