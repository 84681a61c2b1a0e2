package testoutput_test

import (
	"os"
	"testing"

	"github.com/whet-go/whet/internal/collect/testoutput"
)

func TestFailure(t *testing.T) {
	for out, want := range map[string]string{
		"--- FAIL: BenchmarkA\n    x.go:1: no\n--- FAIL: BenchmarkB/sub\nFAIL\n": "failed: BenchmarkA, BenchmarkB/sub",
		"BenchmarkA-2 \t 100 ns/op\nBenchmarkB-2 \npanic: boom\n\ngoroutine 1":   "panic: boom in BenchmarkB-2",
		"BenchmarkA-2 \tpanic: boom [recovered]\n":                               "panic: boom [recovered] in BenchmarkA-2",
		"1\n2\n3\n4\n5\n6\n7\n": "1\n2\n3\n4\n5\n…",
	} {
		if got := testoutput.Failure([]byte(out), os.ErrClosed); got != want {
			t.Errorf("%q: %q, want %q", out, got, want)
		}
	}
}

func TestBuffer(t *testing.T) {
	var b testoutput.Buffer
	text := make([]byte, 1<<20)
	for range 65 {
		if n, err := b.Write(text); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	if n := len(b.Bytes()); n != 64<<20 {
		t.Errorf("%d bytes are kept, want 64 MiB", n)
	}
}
