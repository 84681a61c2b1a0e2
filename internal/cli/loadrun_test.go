package cli

import (
	"testing"

	"github.com/whet-go/whet/load"
)

// TestLoadName: the name of a load is its first URL, without the password.
func TestLoadName(t *testing.T) {
	two := []load.Target{{URL: "http://ada:secret@127.0.0.1/a"}, {URL: "http://127.0.0.1/b"}}
	for _, test := range []struct {
		o    load.Options
		want string
	}{
		{load.Options{URL: "http://ada:secret@127.0.0.1/"}, "http://ada:xxxxx@127.0.0.1/"},
		{load.Options{URL: "http://127.0.0.1/x", Targets: two}, "http://127.0.0.1/x and 2 more"},
		{load.Options{Targets: two}, "http://ada:xxxxx@127.0.0.1/a and 1 more"},
		{load.Options{URL: "http://ada:secret@[/"}, "the target"},
	} {
		if got := loadName(test.o); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
