package mcp

import (
	"slices"
	"testing"
)

// TestLoadTargets has loads of a server with a target on another machine: those on this machine work, too, and only the
// hosts that are loaded are allowed.
func TestLoadTargets(t *testing.T) {
	s, err := New(Options{Roots: []string{t.TempDir()}, Targets: []string{"staging.example.com:6060", "10.0.0.7"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, test := range []struct {
		urls, hosts []string
		fails       bool
	}{
		{[]string{"http://127.0.0.1:8080/"}, nil, false},
		{[]string{"http://staging.example.com:6060/a"}, []string{"staging.example.com"}, false},
		{
			[]string{"http://10.0.0.7/", "http://[::1]:1/", "http://10.0.0.7:81/"}, []string{"10.0.0.7"}, false,
		},
		{[]string{"http://staging.example.com/"}, nil, true}, // another port
		{[]string{"http://127.0.0.1/", "http://10.0.0.8/"}, nil, true},
	} {
		o, warnings, err := (&loadInput{URLs: test.urls}).options(s, "")
		if test.fails {
			if err == nil {
				t.Errorf("%q may be loaded", test.urls)
			}
			continue
		}
		if err != nil || !slices.Equal(o.AllowHosts, test.hosts) || len(warnings) != len(test.hosts) {
			t.Errorf("%q: %v, allowed %q, want %q; %d warnings", test.urls, err, o.AllowHosts, test.hosts, len(warnings))
		}
	}
}
