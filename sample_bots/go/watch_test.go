package main

import "testing"

const second int64 = 1_000_000

func TestALineThatIsDeadOneWayIsNoticedByTheFrames(t *testing.T) {
	w := newWatch()
	for _, now := range []int64{3 * second, 9 * second, 10 * second, 10*second + 900_000} {
		if err := w.hear(now, 0); err != nil {
			t.Errorf("after %d µs: %v", now, err)
		}
	}
	if w.hear(11*second, 0) == nil {
		t.Error("no answer after 11 s, and no word")
	}
}

func TestAStallOfTheServerIsNoDeadLine(t *testing.T) {
	w := newWatch()
	for _, frame := range []struct{ now, oldest int64 }{
		{30 * second, 0}, {30*second + 1, never}, // the answer comes in the next frame
		{50 * second, 31 * second}, {70 * second, 65 * second},
	} {
		if err := w.hear(frame.now, frame.oldest); err != nil {
			t.Error(err)
		}
	}
}
