package main

import (
	"bytes"
	"os"
	"testing"
)

// TestIndex checks that every directory of a rule is in the index.
func TestIndex(t *testing.T) {
	want, err := Index("../../" + root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../" + index)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is old: run `go run ./internal/newrule -index`", index)
	}
}

// TestScaffold creates a rule whose files are complete, and rejects existing and invalid names.
func TestScaffold(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(root+"/index", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{"costly"}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(index)
	if err != nil || !bytes.Contains(got, []byte("costly.New(),")) {
		t.Errorf("%v, index:\n%s", err, got)
	}
	for _, name := range []string{"costly", "Costly", "two words", "../up", "func", ""} {
		if err := run([]string{name}); err == nil {
			t.Errorf("a rule %q is made", name)
		}
	}
}
