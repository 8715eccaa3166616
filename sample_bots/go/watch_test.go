package main

import (
	"testing"

	pb "cheatbot/arenapb"
)

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

func TestADecisionWaitsForItsAnswerAlsoWhenItsPromptHasClosed(t *testing.T) {
	s := seat{questions: map[uint32]*question{3: {}}, sent: map[uint32]int64{3: 7}}
	if err := s.hear(&pb.SeatMessage{Sequence: 1, Withdrawn: []uint32{3}}, 0); err != nil || s.oldest() != 7 {
		t.Errorf("got %d, %v", s.oldest(), err)
	}
	late := &pb.DecisionAnswer{PromptId: 3, Reason: pb.ErrorReason_ERROR_REASON_LATE}
	if err := s.hear(&pb.SeatMessage{Sequence: 2, Answers: []*pb.DecisionAnswer{late}}, 0); err != nil || s.oldest() != never {
		t.Errorf("got %d, %v", s.oldest(), err)
	}
}
