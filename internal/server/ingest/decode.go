package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
)

// A budget is the memory that the profiles of one request may still take.
type budget struct{ left int64 }

// read decodes a pprof profile in any of its formats, compressed or not.
func (b *budget) read(data []byte) (*profile.Profile, error) {
	if len(data) == 0 {
		return nil, errors.New("the profile is empty")
	}
	var r io.Reader = bytes.NewReader(data)
	if len(data) > 2 && data[0] == 0x1f && data[1] == 0x8b {
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, fmt.Errorf("inflate the profile: %w", err)
		}
		r = &limited{r: z, left: maxInflated}
	}
	most := min(b.left, profile.LimitBase+profile.LimitFactor*int64(len(data)))
	if most <= 0 {
		return nil, tooMuch()
	}
	p, err := profile.Read(r, profile.ReadOptions{MaxBytes: most, Size: int64(len(data))})
	var limit *store.LimitError
	if errors.As(err, &limit) {
		return nil, limit // without an offset
	}
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	return p, b.take(p)
}

// take subtracts what a decoded profile takes.
func (b *budget) take(p *profile.Profile) error {
	if b.left -= p.Memory(); b.left < 0 {
		return tooMuch()
	}
	return nil
}

func tooMuch() error {
	return &store.LimitError{What: "bytes for the decoded profiles of a request", Limit: maxDecode}
}

// limited reads at most left bytes, and then fails.
type limited struct {
	r    io.Reader
	left int64
}

// Read implements io.Reader.
func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b[:min(int64(len(b)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, &store.LimitError{What: "bytes in the inflated profile", Limit: maxInflated}
	}
	return n, err
}

// Kind returns the kind of a profile, by its sample types and by a name that the client gave it,
// which tells block from mutex profiles; "" means none. A profile of unknown types has the kind of
// its name, or else of its first sample type.
func Kind(p *profile.Profile, name string) string {
	has := func(types ...string) bool {
		return slices.ContainsFunc(p.SampleTypes, func(v profile.ValueType) bool { return slices.Contains(types, v.Type) })
	}
	name = word(name)
	switch {
	case has("inuse_space", "inuse_objects") && p.DefaultSampleType != "alloc_space":
		return "heap"
	case has("alloc_space", "alloc_objects", "inuse_space"):
		return "allocs"
	case has("contentions", "delay"):
		if strings.Contains(name, "block") {
			return "block"
		}
		return "mutex"
	case has("goroutine", "goroutines"):
		return "goroutine"
	case has("goroutineleak"):
		return "goroutineleak"
	case has("threadcreate"):
		return "threadcreate"
	case has("cpu") && (name == "" || strings.Contains(name, "cpu")):
		return "cpu"
	}
	for _, s := range append([]string{name}, typeNames(p)...) {
		if s = word(s); s != "" {
			return s
		}
	}
	return "other"
}

// typeNames returns the names of the sample types, the default one first.
func typeNames(p *profile.Profile) []string {
	names := []string{p.DefaultSampleType}
	for _, t := range p.SampleTypes {
		names = append(names, t.Type)
	}
	return names
}

// word returns s as a kind: lower-case letters, digits and underscores, beginning with a letter.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, s)
	s = strings.Trim(s, "_")
	if s != "" && s[0] <= '9' {
		s = "_" + s
	}
	return s[:min(len(s), 64)]
}
