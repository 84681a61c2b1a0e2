package micro

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"github.com/whet-go/whet/examples/micro/fast"
	"github.com/whet-go/whet/examples/micro/slow"
)

// A result has the results of all functions for one input.
type result struct {
	Word, Order          bool
	Label, Number, Sent  string
	Written, Last        string
	LastAfterChange      string
	CountA, CountB       int
	Joined, Padded       string
	Lengths              []int
	SendError, FailError error
}

// The two versions, as values: the same calls are made on both.
type version struct {
	hasWord, hasOrder func(string) bool
	label             func(*bytes.Buffer, string)
	number            func(*bytes.Buffer, float64)
	send              func(w writer, text string) error
	join              func([]string, string) string
	pad               func(string, int, rune) string
	lengths           func([]string) []int
	recent            interface {
		Write(*bytes.Buffer, []byte)
		Last() string
	}
	counts interface {
		Add([]byte)
		Of(string) int
	}
}

type writer interface{ Write([]byte) (int, error) }

func slowVersion() version {
	return version{
		slow.HasWord, slow.HasOrder, slow.Label, slow.Number,
		func(w writer, text string) error { return slow.Send(w, text) },
		slow.Join, slow.Pad, slow.Lengths, &slow.Recent{}, &slow.Counts{},
	}
}

func fastVersion() version {
	return version{
		fast.HasWord, fast.HasOrder, fast.Label, fast.Number,
		func(w writer, text string) error { return fast.Send(w, text) },
		fast.Join, fast.Pad, fast.Lengths, &fast.Recent{}, &fast.Counts{},
	}
}

// bare has no WriteString.
type bare struct{ to *bytes.Buffer }

func (b bare) Write(p []byte) (int, error) { return b.to.Write(p) }

var errFull = errors.New("full")

// full takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func (v version) run(text, more string, length int, fill rune, number float64) result {
	var r result
	r.Word, r.Order = v.hasWord(text), v.hasOrder(text)

	buf := bytes.NewBufferString("before ")
	v.label(buf, text)
	r.Label = buf.String()
	buf = bytes.NewBufferString("before ")
	v.number(buf, number)
	r.Number = buf.String()

	// Two words through one Recent; the caller's slice changes after each.
	buf = new(bytes.Buffer)
	for _, s := range []string{text, more} {
		word := []byte(s)
		v.recent.Write(buf, word)
		r.Last = v.recent.Last()
		for i := range word {
			word[i] ^= 0x20
		}
		r.LastAfterChange = v.recent.Last()
		v.counts.Add(word)
		v.counts.Add([]byte(s))
		for i := range word {
			word[i] ^= 0x20
		}
		v.counts.Add(word)
	}
	r.Written = buf.String()
	r.CountA, r.CountB = v.counts.Of(text), v.counts.Of(more)

	var sent, sentBare bytes.Buffer
	r.SendError = errors.Join(v.send(&sent, text), v.send(bare{&sentBare}, more))
	r.Sent = sent.String() + "|" + sentBare.String()
	r.FailError = v.send(full{}, text)

	words := strings.Split(text, more)
	r.Joined, r.Lengths = v.join(words, more), v.lengths(words)
	r.Padded = v.pad(text, min(length, 1<<12), fill) // the slow one needs quadratic time
	return r
}

func compare(t *testing.T, text, more string, length int, fill rune, number float64) {
	t.Helper()
	want := slowVersion().run(text, more, length, fill, number)
	got := fastVersion().run(text, more, length, fill, number)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("text %q, more %q, length %d, fill %q, number %v:\nfast %+v\nslow %+v",
			text, more, length, fill, number, got, want)
	}
}

// seeds are what the table test and the fuzz target begin with.
var seeds = []struct {
	text, more string
	length     int
	fill       rune
	number     float64
}{
	{"", "", 0, ' ', 0},
	{"test", ";", 50, '*', 0.5},
	{letter, "auctor", 2000, 'x', 1e21},
	{"AUCTOR auctór auct\xffor", "or", 30, 'é', math.Inf(1)},
	{"order 123 order 12345", " ", 9, '世', math.NaN()},
	{"order ١٢٣٤", "r", -1, '\U0010ffff', -0.0},
	{"é", "é", 9, 'é', math.Copysign(0, -1)},
	{"\xff\xfe\x00", "\xff", 7, utf8Invalid, math.MaxFloat64},
	{strings.Repeat("long ", 2000), "short", math.MaxInt, 0, math.SmallestNonzeroFloat64},
	{"x", "%s%d%!", math.MinInt, -1, 1.0 / 3},
}

const utf8Invalid = rune(0x110000) // one past the last character

func TestSame(t *testing.T) {
	for _, s := range seeds {
		compare(t, s.text, s.more, s.length, s.fill, s.number)
	}
	if got, want := fast.Lengths(nil), slow.Lengths(nil); got != nil || want != nil {
		t.Errorf("Lengths(nil): fast %#v, slow %#v, want nil of both", got, want)
	}
	if got, want := fast.Join(nil, ";"), slow.Join(nil, ";"); got != want {
		t.Errorf("Join(nil): fast %q, slow %q", got, want)
	}
}

func TestSameRandom(t *testing.T) {
	if err := quick.Check(func(text, more string, length int16, fill rune, number float64) bool {
		compare(t, text, more, int(length), fill, number)
		return !t.Failed()
	}, nil); err != nil {
		t.Error(err)
	}
}

func FuzzSame(f *testing.F) {
	for _, s := range seeds {
		f.Add(s.text, s.more, s.length, s.fill, s.number)
	}
	f.Fuzz(compare)
}

// TestArticle checks inputs that the fixes of the articles handle wrongly.
func TestArticle(t *testing.T) {
	// Repeat by the number of missing bytes pads by characters, not by bytes.
	if got, want := fast.Pad("x", 9, 'é'), slow.Pad("x", 9, 'é'); got != want || len(got) != 9 {
		t.Errorf("Pad: fast %q, slow %q, want 9 bytes", got, want)
	}
	// A string that shares its bytes with a buffer changes with the next word.
	var recent fast.Recent
	recent.Write(new(bytes.Buffer), []byte("marko"))
	last := recent.Last()
	recent.Write(new(bytes.Buffer), []byte("other"))
	if last != "marko" {
		t.Errorf("what Last returned is now %q", last)
	}
}
