package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	pb "cheatbot/arenapb"
)

const (
	mostPools     = 32
	mostPoolSeats = 1000 // that a bot may want in one pool
	longestName   = 32   // characters of a pool's name, and of a version
)

// challengePolicies say whose challenges a bot accepts, by the word in CHEATARENA_CHALLENGES.
var challengePolicies = map[string]pb.ChallengePolicy{
	"":          pb.ChallengePolicy_CHALLENGE_POLICY_UNSPECIFIED,
	"own":       pb.ChallengePolicy_CHALLENGE_POLICY_UNSPECIFIED,
	"nobody":    pb.ChallengePolicy_CHALLENGE_POLICY_NOBODY,
	"everybody": pb.ChallengePolicy_CHALLENGE_POLICY_EVERYBODY,
}

// parsePools returns the pools in a text such as "standard,cheater:3", where the bot wants one seat and three.
func parsePools(text string) (pools []*pb.PoolEntry, err error) {
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, number, hasNumber := strings.Cut(part, ":")
		name = strings.TrimSpace(name)
		if !hasNumber {
			number = "1"
		}
		seats, err := strconv.ParseUint(number, 10, 16)
		if err != nil || seats < 1 || seats > mostPoolSeats || name == "" || !isShortText(name) {
			return nil, fail(exitUsage, "CHEATARENA_POOLS has %q, expected NAME or NAME:SEATS, with a name of at most %d "+
				"printable characters and 1 to %d seats", part, longestName, mostPoolSeats)
		}
		pools = append(pools, &pb.PoolEntry{Pool: name, Seats: uint32(seats)})
	}
	if len(pools) > mostPools {
		return nil, fail(exitUsage, "CHEATARENA_POOLS names %d pools, expected at most %d", len(pools), mostPools)
	}
	return pools, nil
}

// isShortText tells whether a text may be a version, or, if it is not empty, the name of a pool.
func isShortText(text string) bool {
	isHidden := func(character rune) bool { return !unicode.IsPrint(character) }
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= longestName && !strings.ContainsFunc(text, isHidden)
}

// describePool says in one line how many seats the bot gets in a pool, and why.
func describePool(notice *pb.PoolNotice) string {
	seats := fmt.Sprintf("%d seats", notice.Seats)
	if notice.Seats == 1 {
		seats = "1 seat"
	}
	if notice.Reason == pb.PoolReason_POOL_REASON_ENTERED {
		return fmt.Sprintf("pool %s: up to %s at once", notice.Pool, seats)
	}
	again := ""
	if notice.RetryAfterMs > 0 {
		again = fmt.Sprintf("; again in %.0f s", float64(notice.RetryAfterMs)/1000)
	}
	return fmt.Sprintf("pool %s: %s, because %s%s", notice.Pool, seats, notice.Detail, again)
}
