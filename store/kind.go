package store

import (
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/profile"
)

// KindOf returns the kind of a profile by its sample types. Profiles of blocking and of mutexes have
// the same types, so the name of the file decides. Unknown ones are named after their default sample
// type.
func KindOf(p *profile.Profile, file string) string {
	has := func(t string) bool {
		return slices.ContainsFunc(p.SampleTypes, func(v profile.ValueType) bool { return v.Type == t })
	}
	switch {
	case has("cpu"):
		return "cpu"
	case has("alloc_space"), has("inuse_space"):
		if p.DefaultSampleType == "alloc_space" {
			return "allocs"
		}
		return "heap"
	case has("delay"):
		if strings.Contains(strings.ToLower(path.Base(file)), "block") {
			return "block"
		}
		return "mutex"
	}
	typ, err := p.TypeIndex("")
	if err != nil {
		return "unknown"
	}
	return NewKind(p.SampleTypes[typ].Type)
}

// NewKind makes a kind of a name, such as that of a profile in a recording: other characters than
// lower-case letters, digits and underscores become underscores.
func NewKind(name string) string {
	b := []byte(strings.ToLower(name))
	b = b[:min(len(b), maxKind)]
	for i, c := range b {
		if !isNameByte(c, i) {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "unknown"
	}
	return string(b)
}
