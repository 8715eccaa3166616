package main

import "testing"

func TestAProgramThatStartsAgainHasTheSameInstance(t *testing.T) {
	first, again := newInstance("", "2.1"), newInstance("", "2.1")
	if first != again || len(first.name) != 16 || !first.isDerived || first == newInstance("", "2.2") {
		t.Errorf("got %v and %v", first, again)
	}
	if first.settle(first.name) || !again.settle("name.2") || again.name != "name.2" || again.isDerived {
		t.Errorf("got %v and %v", first, again)
	}
	if !again.giveWay() || again.name == "name.2" || again.giveWay() {
		t.Errorf("got %v", again)
	}
}

func TestAChosenInstanceStays(t *testing.T) {
	chosen := newInstance("one", "")
	if chosen.isDerived || chosen.settle("other") || chosen.giveWay() || chosen.name != "one" {
		t.Errorf("got %v", chosen)
	}
}
