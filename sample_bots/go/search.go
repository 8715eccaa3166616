package main

import (
	"log"
	"time"

	"google.golang.org/grpc/status"
)

const (
	longestPause = 2 * time.Second // between two attempts to connect
	quietTime    = 2 * time.Second // before the bot says that it is still trying
)

// A search is for a server, while there is no stream. It ends when a server answers, and begins again when that is lost.
type search struct {
	address  string // with the proxy on the way to it
	patience time.Duration
	began    time.Time
	pause    time.Duration
	isTold   bool // whether a line has said that the bot is still trying
	isOver   bool
	isKnown  bool // whether an arena has ever answered at the address
}

func newSearch(settings settings) *search {
	address := settings.address
	if settings.proxy != "" {
		address += " through the proxy " + settings.proxy
	}
	return &search{address: address, patience: settings.patience, began: time.Now()}
}

// end notes that the server has answered.
func (s *search) end() {
	s.isOver, s.isKnown = true, true
}

// next returns how long to wait before the next attempt, or a failure if there is no point in one.
func (s *search) next(err error) (time.Duration, error) {
	if s.isOver {
		s.isOver, s.isTold, s.began, s.pause = false, false, time.Now(), 0
	}
	if final := findFailure(err, s.address, s.isKnown); final != nil {
		return 0, final
	}
	why := status.Convert(err).Message()
	left := s.patience - time.Since(s.began)
	if left <= 0 {
		return 0, fail(exitUnavailable, "no server at %s for %v, so this bot gives up (%s)", s.address, s.patience, why)
	}
	if !s.isTold && s.patience-left >= quietTime {
		s.isTold = true
		log.Printf("still trying %s (%s); giving up in %v", s.address, why, left.Round(time.Second))
	}
	s.pause = min(2*s.pause+100*time.Millisecond, longestPause)
	return min(s.pause, left), nil
}
