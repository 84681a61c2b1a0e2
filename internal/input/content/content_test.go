package content

import (
	"strings"
	"testing"
)

func TestContent(t *testing.T) {
	for head, want := range map[string]string{
		"":                                    "pprof.StopCPUProfile",
		"go 1.23 trace\x00\x00":               "execution trace",
		"goroutine 1 [running]:\n":            "dump of goroutines",
		"\x7fELF\x02":                         "program",
		"\n<html>":                            "web page",
		"hello\n":                             "text",
		"\x00\x01\x02":                        "neither",
		"goroutine profile: total 3\n1 @ 0x1": "dump of goroutines",
	} {
		if got := Describe("x", []byte(head)); !strings.Contains(got, want) && !IsDebugText([]byte(head)) {
			t.Errorf("%q: %s, want %q", head, got, want)
		}
	}
	for head, want := range map[string]bool{
		"hello\tworld\r\n": true, "\x1b[31mred": true, "\x00": false, "caf\xc3\xa9": true, "\xff\xfe\xfd\xfc\xfb": false,
	} {
		if IsText([]byte(head)) != want {
			t.Errorf("%q is text: %v", head, !want)
		}
	}
	for head, want := range map[string]bool{
		"goroutine profile: total 3\n": true, "heap profile: 1: 2 [3: 4] @ heap/1\n": true, "--- mutex:\n": true,
		"goroutine 1": false,
	} {
		if IsDebugText([]byte(head)) != want {
			t.Errorf("%q is the text of a profile: %v", head, !want)
		}
	}
}
