package layout

import (
	"slices"
	"strings"
	"testing"
)

func TestFill(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{" \n", nil},
		{"one two  three\nfour", []string{"one two", "three four"}},
		{"a-word-that-is-too-long two", []string{"a-word-that-is-too-long", "two"}},
		{"äöüäö äöü x", []string{"äöüäö äöü", "x"}},
	} {
		if got := Fill(test.text, 10); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestWrapMarkdown(t *testing.T) {
	t.Parallel()
	const text = `# A heading that is wider than the limit

short
lines stay
apart

A paragraph with a change of - 5 % that
is wider than the limit.
- An item that is wider than the limit, with
  a second line.
- short

| a table | stays | as it is | however wide |
|---|---|---|---|

` + "```\n$ a command that is wider than the limit\n```" + `

    indented code that is wider than the limit
`
	const want = `# A heading that is wider than the limit

short
lines stay
apart

A paragraph with a
change of - 5 % that
is wider than the
limit.
- An item that is
  wider than the
  limit, with a
  second line.
- short

| a table | stays | as it is | however wide |
|---|---|---|---|

` + "```\n$ a command that is wider than the limit\n```" + `

    indented code that is wider than the limit
`
	got := WrapMarkdown(text, 20)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := WrapMarkdown(got, 20); again != got {
		t.Errorf("wrapped again:\n%s", again)
	}
	if got, want := strings.Fields(got), strings.Fields(text); !slices.Equal(got, want) {
		t.Errorf("words changed: %q, want %q", got, want)
	}
}
