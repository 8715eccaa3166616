package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	pb "cheatbot/arenapb"
)

// read returns the settings of an environment with an address, a token and these variables.
func read(variables map[string]string) (settings, error) {
	all := map[string]string{"CHEATARENA_ADDRESS": "127.0.0.1:1", "CHEATARENA_TOKEN": "cat_x"}
	for name, value := range variables {
		all[name] = value
	}
	return settingsFromEnvironment(func(name string) string { return all[name] })
}

func TestTheHelloEntersPools(t *testing.T) {
	settings, err := read(map[string]string{
		"CHEATARENA_POOLS": "open, my dice:12,", "CHEATARENA_VERSION": "2.1", "CHEATARENA_CHALLENGES": "everybody",
	})
	if err != nil {
		t.Fatal(err)
	}
	session := newSession(settings)
	for range 2 { // each stream enters them again
		hello := session.hello().Notices[0].GetHello()
		first, second := hello.Pools[0], hello.Pools[1]
		if first.Pool != "open" || first.Seats != 1 || second.Pool != "my dice" || second.Seats != 12 {
			t.Errorf("got %v", hello.Pools)
		}
		if hello.Version != "2.1" || hello.Challenges != pb.ChallengePolicy_CHALLENGE_POLICY_EVERYBODY {
			t.Errorf("got %v", hello)
		}
	}
}

func TestWithoutVariablesItEntersNoPool(t *testing.T) {
	settings, err := read(nil)
	if err != nil || len(settings.pools) > 0 || settings.version != "" || settings.challenges != 0 {
		t.Errorf("got %v, %v", settings, err)
	}
}

func TestABadPoolIsRefusedWithItsVariable(t *testing.T) {
	for _, row := range []struct{ variable, value string }{
		{"POOLS", "open:many"}, {"POOLS", "open:0"}, {"POOLS", "open:1001"}, {"POOLS", "open:+1"},
		{"POOLS", "open:"}, {"POOLS", ":3"}, {"POOLS", strings.Repeat("p", 33)}, {"POOLS", "a\tb"}, {"POOLS", strings.Repeat("p,", 33)},
		{"VERSION", strings.Repeat("v", 33)}, {"VERSION", "a\tb"}, {"CHALLENGES", "friends"},
	} {
		_, err := read(map[string]string{"CHEATARENA_" + row.variable: row.value})
		refused := (*failure)(nil)
		if !errors.As(err, &refused) || refused.exitCode != exitUsage || !strings.Contains(refused.text, row.variable) {
			t.Errorf("%v: got %v", row, err)
		}
	}
}

func TestTheLongestValuesAreTaken(t *testing.T) {
	settings, err := read(map[string]string{
		"CHEATARENA_POOLS":   strings.Repeat("ö", 32) + ":1000" + strings.Repeat(",p", 31),
		"CHEATARENA_VERSION": strings.Repeat("ö", 32),
	})
	if err != nil || len(settings.pools) != 32 {
		t.Errorf("got %v, %v", settings.pools, err)
	}
}

func TestALineSaysHowManySeatsItGetsAndWhy(t *testing.T) {
	left := &pb.PoolNotice{
		Pool: "open", Reason: pb.PoolReason_POOL_REASON_LEFT, Detail: "the bot left", RetryAfterMs: 30_000,
	}
	got := []string{
		describePool(&pb.PoolNotice{Pool: "open", Seats: 3, Reason: pb.PoolReason_POOL_REASON_ENTERED}),
		describePool(left),
	}
	want := []string{"pool open: up to 3 seats at once", "pool open: 0 seats, because the bot left; again in 30 s"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
