package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"regexp"
	"strings"
)

const playedGames = "cheat,cheater"

var containerID = regexp.MustCompile(`^[0-9a-f]{12}$`)

// An instance is the name of this process among the programs of its bot. If nobody chose it, it derives from this
// machine, so that a program that starts again finds its seats.
type instance struct {
	name      string
	isDerived bool // whether the server may still give this program another name
	mayChange bool // whether nobody chose the name
}

func newInstance(chosen, version string) instance {
	if chosen != "" {
		return instance{name: chosen}
	}
	host, _ := os.Hostname()
	if containerID.MatchString(host) {
		host = "container" // each container has another name
	}
	digest := sha256.Sum256([]byte(strings.Join([]string{host, playedGames, version}, "\n")))
	return instance{name: hex.EncodeToString(digest[:8]), isDerived: true, mayChange: true}
}

// settle takes the name that the server gave, and returns whether it is another one. Older servers give none.
func (i *instance) settle(given string) bool {
	isOther := i.mayChange && given != "" && given != i.name
	i.isDerived = false
	if isOther {
		i.name = given
	}
	return isOther
}

// giveWay takes a random name, once, because an older server lets another program replace this one. It returns false for
// a name that must not change.
func (i *instance) giveWay() bool {
	gives := i.mayChange
	if gives {
		*i = instance{name: strings.ToLower(rand.Text()[:16])}
	}
	return gives
}
