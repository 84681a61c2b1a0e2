package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/exp/trace"
)

func TestMain(m *testing.M) {
	if os.Getenv(beServer) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestRun makes a small trace, and checks that it is complete and shows the work of a server.
func TestRun(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "small.trace")
	var output bytes.Buffer
	if err := run(t.Context(), []string{"-o", name, "-size", "300kB", "-connections", "4"}, &output); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // was only read
	r, err := trace.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[trace.EventKind]int{}
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kinds[ev.Kind()]++
	}
	for _, kind := range []trace.EventKind{
		trace.EventStateTransition, trace.EventTaskBegin,
		trace.EventRegionEnd, trace.EventLog,
	} {
		if kinds[kind] == 0 {
			t.Errorf("no %v among %v", kind, kinds)
		}
	}
	if info, err := f.Stat(); err != nil || info.Size() < 300e3 || !strings.Contains(output.String(), "small.trace: ") {
		t.Errorf("%v, %v; %s", info.Size(), err, &output)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"-size 5GB":           "up to 4 GB",
		"-size big":           "(want a size such as",
		"-size -1MB":          "(want a size such as",
		"-events 10000000000": "the limit is",
		"-seconds 1000":       "up to 600 seconds",
		"-connections 0":      "1 to 1000 connections",
		"big.trace":           "(want flags only)",
	} {
		err := run(t.Context(), strings.Fields(args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
	for text, want := range map[string]int64{"47MB": 47e6, "1GB": 1e9, "1.5kB": 1500, "12": 12} {
		if n, err := parseSize(text); n != want || err != nil {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}
