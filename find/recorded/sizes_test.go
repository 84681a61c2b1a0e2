package recorded_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/recorded"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/capture/support"
	"github.com/whet-go/whet/recording"
)

// captured writes a recording with a CPU profile and a part with copied calls, and opens it.
func captured(t *testing.T, calls any) *recorded.Program {
	t.Helper()
	from, err := recording.Open("../../recording/testdata/slug.whet")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }() // was only read
	cpu, err := from.Profile("cpu")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.whet")
	w, err := recording.Create(name, recording.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.AddProfile("cpu", cpu, recording.Part{}); err != nil {
		t.Fatal(err)
	}
	if err := w.AddJSON(recording.ArgumentsPart, calls); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(recording.Meta{}); err != nil {
		t.Fatal(err)
	}
	p, err := recorded.Read(t.Context(), &input.Opener{}, []string{name}, recorded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestObserved returns the length that nine of ten recorded results do not exceed.
func TestObserved(t *testing.T) {
	t.Parallel()
	d := arguments.Document{Schema: support.Schema, Functions: []support.Function{
		{Package: "example.com/slug", Name: "Words", Results: []string{"words", "n", ""}},
		{Package: "example.com/slug", Name: "(*T).Rare", Results: []string{""}},
	}}
	for i := range 11 {
		d.Functions[0].Calls = append(d.Functions[0].Calls, support.Call{Results: []support.Value{
			{Kind: support.KindSlice, Len: 10 * i}, {Kind: support.KindInt, Text: "7"}, {Kind: support.KindNil},
		}})
	}
	d.Functions[1].Calls = []support.Call{{Results: []support.Value{{Kind: support.KindString, Len: 40}}}}
	observed := captured(t, d).Options(find.Options{}).Observed
	if got := observed("example.com/slug", "Words"); !slices.Equal(got, []int{90, 0, 0}) {
		t.Errorf("Words: %v", got)
	}
	if got := observed("example.com/slug", "(*T).Rare"); got != nil {
		t.Errorf("one call says nothing about others: %v", got)
	}
}

// TestDamaged warns of copied calls that cannot be read, and goes on without them.
func TestDamaged(t *testing.T) {
	t.Parallel()
	p := captured(t, map[string]string{"schema": "other"})
	if p.Options(find.Options{}).Observed != nil {
		t.Error("there are sizes")
	}
	if len(p.Warnings) != 1 || !strings.Contains(p.Warnings[0].Text, `schema "other"`) {
		t.Errorf("%v", p.Warnings)
	}
}
