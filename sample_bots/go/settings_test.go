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

func TestWhatAnEditorAddsToATokenIsStripped(t *testing.T) {
	for _, token := range []string{"cat_x\r\n", "\ufeffcat_x", " cat_x\t"} {
		if s, err := read(map[string]string{"CHEATARENA_TOKEN": token}); err != nil || s.token != "cat_x" {
			t.Errorf("%q: got %q, %v", token, s.token, err)
		}
	}
	for _, token := range []string{"cat_é", "cat_a b", "“cat_x”"} {
		if _, err := read(map[string]string{"CHEATARENA_TOKEN": token}); err == nil {
			t.Errorf("%q is accepted", token)
		}
	}
}

// The proxy variables are read once in a process.
func TestOnlyOtherMachinesAreBehindAProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://ann:secret@proxy.example:3128")
	t.Setenv("NO_PROXY", "")
	for address, proxy := range map[string]string{
		"arena.example:443": "http://ann:xxxxx@proxy.example:3128",
		"localhost:443":     "", "127.0.0.1:443": "", "[::1]:443": "", "unix:/run/arena.sock": "",
	} {
		if s, err := read(map[string]string{"CHEATARENA_ADDRESS": address}); err != nil || s.proxy != proxy {
			t.Errorf("%s: got %q, %v", address, s.proxy, err)
		}
	}
}
