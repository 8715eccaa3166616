package main

import "testing"

// A Unix socket is on this machine, so it needs neither a port nor TLS.
func TestUnixSocketIsAnAddress(t *testing.T) {
	s, err := settingsFromEnvironment(func(name string) string {
		return map[string]string{"CHEATARENA_ADDRESS": "unix:/run/arena.sock", "CHEATARENA_TOKEN": "cat_x"}[name]
	})
	if err != nil || s.address != "unix:/run/arena.sock" || s.security.Info().SecurityProtocol != "insecure" {
		t.Errorf("got %v and %v", s, err)
	}
	for _, address := range []string{"unix:", "unix:relative", "arena.example"} {
		if _, err := hostOf(address); err == nil {
			t.Errorf("%q is accepted", address)
		}
	}
}
