package main

import (
	"errors"
	"time"
)

const (
	answerTime  int64 = 10_000_000 // that a decision may wait for its answer, in microseconds
	confirmTime int64 = 1_000_000  // between two frames that lack it
)

var (
	errUnheard = errors.New("nothing of what this bot sends arrives")
	start      = time.Now()
)

// A watch notices a line that is dead one way: frames come, but no answers to what this bot has sent. It goes by the
// server's clock, so that neither a pause of this process nor a stall of the server counts.
type watch struct {
	offset int64 // the smallest difference between this machine's clock and the server's
	late   int64 // when a frame first lacked an answer; never if all answers came
}

func newWatch() watch { return watch{never, never} }

// hear notes a frame of this instant. The oldest decision without an answer was sent at another one.
func (w *watch) hear(now, oldest int64) error {
	w.offset = min(w.offset, time.Since(start).Microseconds()-now)
	switch {
	case oldest > now-answerTime:
		w.late = never
	case w.late == never:
		w.late = now
	case now-w.late >= confirmTime:
		return errUnheard
	}
	return nil
}

// now returns the instant on the server's clock.
func (w *watch) now() int64 { return time.Since(start).Microseconds() - w.offset }
