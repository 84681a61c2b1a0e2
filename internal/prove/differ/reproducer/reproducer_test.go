package reproducer_test

import (
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/differ/reproducer"
)

// TestTests writes the shortest test first: the call that differs, and what differs of it.
func TestTests(t *testing.T) {
	t.Parallel()
	const record = `{"Receiver": {"Code": "&Sum{total: 1}"}, "Differs": 1, "Kind": "returned", "Turns": [
		{"Calls": [{"Name": "recv.Add", "Args": [{"Code": "2"}], "Results": [{"Got": "«»", "Want": "3"}]}],
			"Receiver": {"Got": "«»", "Want": "&Sum{total: 3}", "Deep": true}},
		{"Calls": [{"Name": "recv.Add", "Args": [{"Code": "«math».MaxInt"}], "Results": [{"Got": "«»", "Want": "4"}, null]}],
			"Receiver": {"Got": "«»", "Want": "&Sum{total: 4}", "Deep": true}}]}`
	r, err := reproducer.Read([]byte(record))
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.Tests(reproducer.Package{
		Name: "p", Function: "(*Sum).Add", A: "HEAD", B: "working tree",
		Declares: func(name string) bool { return name == "math" },
	})
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	const want = `package p

import (
	math2 "math"
	"testing"
)

// TestReproduce_Sum_Add passes with version A (HEAD) and fails with version B
// (working tree): (*Sum).Add behaves differently.
func TestReproduce_Sum_Add(t *testing.T) {
	recv := &Sum{total: 1}
	r0, _ := recv.Add(math2.MaxInt)
	if got, want := r0, 4; got != want {
		t.Errorf("result 1 of Add is %#v, want %#v", got, want)
	}
}
`
	if got := string(files[0]); got != want {
		t.Errorf("%s", got)
	}
	for i, want := range []string{
		"recv := &Sum{total: 1}\n\trecv.Add(2)\n\tr0, _ :=", "the receiver afterwards is",
		"recv.Add(2)\n\tr0, _ := recv.Add(math2.MaxInt)\n",
	} {
		if !strings.Contains(string(files[i+1]), want) {
			t.Errorf("file %d: no %q in\n%s", i+1, want, files[i+1])
		}
	}
}

// TestNoTest has the reason why there is no test.
func TestNoTest(t *testing.T) {
	t.Parallel()
	r, err := reproducer.Read([]byte(`{"NoTest": "an argument has a function", "Data": "AQI="}`))
	if err != nil || string(r.Data) != "\x01\x02" {
		t.Fatalf("%v, %v", r != nil, err)
	}
	if _, err := r.Tests(reproducer.Package{}); err == nil || !strings.Contains(err.Error(), "has a function") {
		t.Error(err)
	}
	for _, damaged := range []string{"", "{}", `{"Turns": [{}], "Differs": 1}`, `{"Turns": [{}], "Differs": -1}`} {
		if _, err := reproducer.Read([]byte(damaged)); err == nil {
			t.Errorf("%q is read", damaged)
		}
	}
}
