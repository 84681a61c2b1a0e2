package scratch

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// TestTestBoth tests two versions of a module at the same time, whose tests need the same address: that one
// of them fails is no difference, and does not make the test flaky.
func TestTestBoth(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	const value = "package a\n\nfunc Value() int { return %d }\n"
	m := moduleOf(t, "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- a/a.go --\n"+fmt.Sprintf(value, 1)+`
-- a/a_test.go --
package a

import (
	"net"
	"testing"
	"time"
)

func TestAddress(t *testing.T) {
	l, err := net.Listen("tcp", "`+address+`")
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	_ = l.Close()
	if Value() > 2 {
		t.Error("large")
	}
}

func TestFails(t *testing.T) { t.Fatal("always") }

func TestSkipped(t *testing.T) {
	if Value() < 0 {
		t.Skip("negative")
	}
}

func TestAlwaysSkipped(t *testing.T) { t.Skip("always") }

func TestSleep(t *testing.T) { time.Sleep(50 * time.Millisecond) }

func TestValue(t *testing.T) {
	if Value() > 1 {
		t.Error(Value())
	}
}
`)
	pkgs := []string{"example.com/m/a"}
	for _, test := range []struct {
		value int
		both  []string
		want  string
	}{
		{0, pkgs, ""},
		{2, pkgs, "TestValue fails"},
		{3, pkgs, "TestAddress fails"},
		{0, nil, ""},
		{2, nil, "TestValue fails"},
		{4, nil, "TestAddress fails"},
		{-1, nil, "TestSkipped is skipped"},
	} {
		flags, err := m.Overlay(map[string][]byte{"a/a.go": fmt.Appendf(nil, value, test.value)})
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.TestBoth(t.Context(), Trial{m, flags}, pkgs, test.both)
		var differs *TestError
		if (test.want == "") != (err == nil) || test.want != "" &&
			(!errors.As(err, &differs) || !strings.HasPrefix(differs.Error(), "example.com/m/a."+test.want)) {
			t.Errorf("%d: %v, want %q", test.value, err, test.want)
		}
		if n := b.Ignored(pkgs); n != 1 || b.Failing()[0].Name != "TestFails" {
			t.Errorf("%d: %d tests are ignored: failing %v, flaky %v", test.value, n, b.Failing(), b.Flaky())
		}
		slow := b.Slow(pkgs, 500*time.Millisecond)["example.com/m/a"]
		if strings.Join(slow, " ") != "TestAddress" {
			t.Errorf("%d: slow are %v", test.value, slow)
		}
	}
}
