package cli

import (
	"strings"
	"testing"
)

func TestNext(t *testing.T) {
	for _, test := range []struct {
		live  bool
		words []string
		want  string
	}{
		{true, []string{"find", "a.whet"}, "\nnext: whet find a.whet\n"},
		{true, []string{"find", "a b.whet", "$(x)"}, "\nnext: whet find 'a b.whet' '$(x)'\n"},
		{true, []string{"find", "a\x1b[2Jb"}, "\nnext: whet find $'a\\x1b[2Jb'\n"},
		{true, []string{"find", "a\x00b"}, ""},
		{false, []string{"find", "a.whet"}, ""},
	} {
		var out strings.Builder
		(&app{stderr: &out, live: test.live}).next(test.words...)
		if out.String() != test.want {
			t.Errorf("%q: %q, want %q", test.words, out.String(), test.want)
		}
	}
}
