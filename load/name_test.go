package load

import (
	"testing"
)

// TestName checks that the name of a load is its first URL, without the password.
func TestName(t *testing.T) {
	two := []Target{{URL: "http://ada:secret@127.0.0.1/a"}, {URL: "http://127.0.0.1/b"}}
	for _, test := range []struct {
		o    Options
		want string
	}{
		{Options{URL: "http://ada:secret@127.0.0.1/"}, "http://ada:xxxxx@127.0.0.1/"},
		{Options{URL: "http://127.0.0.1/x", Targets: two}, "http://127.0.0.1/x and 2 more"},
		{Options{Targets: two}, "http://ada:xxxxx@127.0.0.1/a and 1 more"},
		{Options{URL: "http://ada:secret@[/"}, "the target"},
	} {
		if got := test.o.Name(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
