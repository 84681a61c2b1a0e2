package targets

import (
	"slices"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                                      nil,
		" \n":                                   nil,
		`./server -addr {addr} -name 'a b'"c"`:  {"./server", "-addr", "{addr}", "-name", "a bc"},
		"GOGC=off ./server \\\n -x":             {"GOGC=off", "./server", "-x"},
		`sh -c 'while :; do date; done | wc' x`: {"sh", "-c", "while :; do date; done | wc", "x"},
	} {
		if got, err := Words(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", line, got, err)
		}
	}
	for line, want := range map[string]string{
		"./a | tee log": `"|" outside quotes`,
		"./a $HOME":     "a $H",
		"./a 'x":        "missing closing '",
		"./a\n./b":      `second command "./b"`,
		"./a # fast":    "a #: a shell would interpret it",
	} {
		if _, err := Words(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}
