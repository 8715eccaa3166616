//! Pools, the version and challenges: what a Hello says so that the server seats the bot, and what the server answers.

use crate::proto::{ChallengePolicy, PoolEntry, PoolNotice, PoolReason};

const MOST_POOLS: usize = 32;
/// That a bot may want in one pool.
const MOST_SEATS: u32 = 1000;
/// Characters of a pool's name, and of a version.
const LONGEST_NAME: usize = 32;

/// Returns the pools in a text such as `standard,cheater:3`, where the bot wants one seat and three.
pub fn parse_pools(text: &str) -> Result<Vec<PoolEntry>, String> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let pools = parts.map(|part| parse_pool(part).ok_or_else(|| bad_pool(part))).collect::<Result<Vec<_>, _>>()?;
    if pools.len() > MOST_POOLS {
        return Err(format!("CHEATARENA_POOLS names {} pools, expected at most {MOST_POOLS}", pools.len()));
    }
    Ok(pools)
}

fn parse_pool(part: &str) -> Option<PoolEntry> {
    let (name, seats) = part.split_once(':').unwrap_or((part, "1"));
    let name = name.trim();
    let is_number = seats.bytes().all(|byte| byte.is_ascii_digit());
    let seats = seats.parse().ok().filter(|seats| is_number && (1..=MOST_SEATS).contains(seats))?;
    (!name.is_empty() && is_short_text(name)).then(|| PoolEntry { pool: name.to_owned(), seats })
}

fn bad_pool(part: &str) -> String {
    format!(
        "CHEATARENA_POOLS has {part:?}, expected NAME or NAME:SEATS, with a name of at most {LONGEST_NAME} printable \
         characters and 1 to {MOST_SEATS} seats"
    )
}

pub fn parse_version(text: String) -> Result<String, String> {
    if is_short_text(&text) {
        return Ok(text);
    }
    Err(format!("CHEATARENA_VERSION is {text:?}, expected at most {LONGEST_NAME} printable characters"))
}

pub fn parse_challenges(word: &str) -> Result<ChallengePolicy, String> {
    match word {
        "own" => Ok(ChallengePolicy::Unspecified),
        "nobody" => Ok(ChallengePolicy::Nobody),
        "everybody" => Ok(ChallengePolicy::Everybody),
        _ => Err(format!("CHEATARENA_CHALLENGES is {word:?}, expected own, nobody or everybody")),
    }
}

fn is_short_text(text: &str) -> bool {
    // What cannot be printed is escaped. So are quotes and backslashes, which can.
    let bare = text.replace(['"', '\'', '\\'], "x");
    text.chars().count() <= LONGEST_NAME && bare.escape_debug().eq(bare.chars())
}

/// Says in one line how many seats the bot gets in a pool, and why.
pub fn describe(notice: &PoolNotice) -> String {
    let PoolNotice { pool, seats, detail, retry_after_ms, .. } = notice;
    let seats = format!("{seats} {}", if *seats == 1 { "seat" } else { "seats" });
    if notice.reason() == PoolReason::Entered {
        return format!("pool {pool}: up to {seats} at once");
    }
    let again = match retry_after_ms {
        0 => String::new(),
        pause => format!("; again in {} s", pause.div_ceil(1000)),
    };
    format!("pool {pool}: {seats}, because {detail}{again}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pool: &str, seats: u32) -> PoolEntry {
        PoolEntry { pool: pool.to_owned(), seats }
    }

    #[test]
    fn a_text_names_pools_with_their_seats() {
        assert_eq!(parse_pools("open, my dice:12,").unwrap(), [entry("open", 1), entry("my dice", 12)]);
        assert_eq!(parse_pools("").unwrap(), []);
    }

    #[test]
    fn a_bad_pool_is_refused_with_its_variable() {
        let (long, many) = ("p".repeat(33), "p,".repeat(33));
        for text in ["open:many", "open:0", "open:1001", "open:+1", "open:", ":3", "a\tb", &long, &many] {
            assert!(parse_pools(text).unwrap_err().contains("CHEATARENA_POOLS"), "{text}");
        }
    }

    #[test]
    fn the_longest_values_are_taken() {
        let longest = "ö".repeat(32);
        assert_eq!(parse_pools(&format!("{longest}:1000{}", ",p".repeat(31))).unwrap().len(), 32);
        assert_eq!(parse_version(longest.clone()).unwrap(), longest);
    }

    #[test]
    fn a_version_is_short_and_printable() {
        assert_eq!(parse_version(r#"2.1 "it's" \o/"#.to_owned()).unwrap(), r#"2.1 "it's" \o/"#);
        for text in ["v".repeat(33), "a\tb".to_owned(), "a\u{200b}b".to_owned()] {
            assert!(parse_version(text).unwrap_err().contains("CHEATARENA_VERSION"));
        }
    }

    #[test]
    fn challenges_are_one_of_three_words() {
        assert_eq!(parse_challenges("everybody"), Ok(ChallengePolicy::Everybody));
        assert!(parse_challenges("friends").unwrap_err().contains("CHEATARENA_CHALLENGES"));
    }

    #[test]
    fn a_line_says_how_many_seats_it_gets_and_why() {
        let pool = || "open".to_owned();
        let entered = PoolNotice { pool: pool(), seats: 3, reason: PoolReason::Entered.into(), ..Default::default() };
        let left = PoolNotice {
            pool: pool(),
            reason: PoolReason::Left.into(),
            detail: "the bot left".to_owned(),
            retry_after_ms: 30_000,
            ..Default::default()
        };
        assert_eq!(describe(&entered), "pool open: up to 3 seats at once");
        assert_eq!(describe(&left), "pool open: 0 seats, because the bot left; again in 30 s");
    }
}
