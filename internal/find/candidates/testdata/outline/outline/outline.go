package outline

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"test/values"
)

type frame struct {
	words []string
	size  int
}

func newFrame(text string, more ...string) *frame {
	words := strings.Fields(text)
	if len(words) == 0 {
		return &frame{words: more} // want `Let newFrame be inlined: set the frame in setNewFrame`
	}
	return &frame{
		words: append(words, more...),
		size:  len(words),
	}
}

type reader struct{ text string }

func (r *reader) frame() *frame {
	f := &frame{size: len(r.text)} // want `set the frame in setFrame`
	for _, w := range strings.Split(r.text, ",") {
		f.words = append(f.words, strings.TrimSpace(w))
	}
	return f
}

func Sum(text string) int {
	f := newFrame(text, "more")
	g := (&reader{text}).frame()
	return f.size + len(f.words) + g.size + len(g.words)
}

func parsed(text string) (f *frame, err error) {
	if strings.Contains(text, "=") {
		return nil, errors.New("text " + text)
	}
	f = new(frame) // want `set the frame in setParsed`
	for _, w := range strings.Split(text, ",") {
		f.words = append(f.words, strings.TrimSpace(w))
	}
	return
}

func Both(text string) int {
	f, err := parsed(text)
	if err != nil {
		return -1
	}
	return len(f.words) + f.size
}

// It is small, so the compiler inlines it.
func small(n int) *frame { return &frame{size: n} }

// Its caller keeps the frame.
func kept(text string) *frame {
	return &frame{words: strings.Fields(text), size: strings.Count(text, "a")}
}

func maybe(text string) *frame {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	return &frame{words: strings.Fields(text)} // want `in setMaybe`
}

func Maybe(text string) int {
	if f := maybe(text); f != nil {
		return f.size + len(f.words)
	}
	return -1
}

func failing(text string) (*frame, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("empty")
	}
	return &frame{words: strings.Fields(text)}, nil // want `in setFailing`
}

// A deferred function runs before the caller has the frame.
func deferred(text string, done func()) *frame {
	defer done()
	return &frame{words: strings.Fields(text)}
}

func Open(text string) (*frame, error) { return OpenAt(text, 0) }

// OpenAt is only called for what another exported function returns.
func OpenAt(text string, at int) (*frame, error) {
	if at > len(text) {
		return nil, fmt.Errorf("no text at %d", at)
	}
	return &frame{words: strings.Fields(text[at:])}, nil // want `set the frame in setOpenAt`
}

// Some calls return another one.
func either(text string) *frame {
	if strings.TrimSpace(text) == "" {
		return none
	}
	return &frame{words: strings.Fields(text)} // want `set the frame in setEither`
}

var none = &frame{}

func shared(f *frame) *frame {
	made := strings.Fields("a b")
	f.words = append(f.words, made...)
	return f
}

// New declares the frame as a variable.
func New(text string) *frame {
	var f frame // want `set the frame in setNew`
	f.words = strings.Fields(text)
	if len(f.words) == 0 {
		f = frame{size: -1}
		return &f
	}
	f.size = func() int { return len(f.words) }()
	return &f
}

func Parse(text string) (*frame, error) {
	f := frame{words: strings.Fields(text)} // want `set the frame in setParse`
	if len(f.words) > 3 {
		return nil, errors.New("too many")
	}
	last := f
	f.size = last.size + 1
	return &f, nil
}

// Each of the two is returned.
func Two(text string) *frame {
	var a, b frame
	if text == "" {
		return &a
	}
	b.words = strings.Fields(text)
	return &b
}

func List(text string) []*frame { return []*frame{kept(text)} }

func Try(r *rand.Rand) string {
	text := values.String(r)
	f, err := failing(text)
	opened, _ := Open(text)
	parsed, err2 := Parse(text)
	return fmt.Sprint(*New(text), *Two(text), parsed == nil, err2, parsed != nil && parsed.size == 1, *opened, Sum(text), Both(text), Both("a b,c"), Both("a"), small(3).size, List(text)[0].words, err == nil && f.size == 0, err, Maybe(text), either(text).size, shared(deferred(text, func() {})).size)
}
