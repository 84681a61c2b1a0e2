package configs

import (
	"bytes"
	"go/build"
	"io"
	"path"
	"slices"
	"strings"
)

// A Build is how the go command builds: its flags, and its variables in the form KEY=value.
type Build struct{ Flags, Env []string }

// context returns the context of the build, as far as it decides which files belong to a package.
func (b Build) context() build.Context {
	in := build.Default
	for i, flag := range b.Flags {
		name, value, ok := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !ok && i+1 < len(b.Flags) {
			value = b.Flags[i+1]
		}
		if name == "tags" {
			in.BuildTags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		}
	}
	for _, v := range b.Env {
		switch name, value, _ := strings.Cut(v, "="); name {
		case "GOOS":
			in.GOOS = value
		case "GOARCH":
			in.GOARCH = value
		case "CGO_ENABLED":
			in.CgoEnabled = value == "1"
		}
	}
	return in
}

// Config returns the configuration of the build.
func (b Build) Config() Config {
	in := b.context()
	return Config{OS: in.GOOS, Arch: in.GOARCH, Tags: strings.Join(in.BuildTags, ",")}
}

// For returns the same build in a configuration, whose tags are added.
func (b Build) For(c Config) Build {
	if c.Tags != "" {
		tags := append(b.context().BuildTags, c.Tags)
		b.Flags = append(slices.Clone(b.Flags), "-tags="+strings.Join(tags, ","))
	}
	b.Env = append(slices.Clone(b.Env), "GOOS="+c.OS, "GOARCH="+c.Arch)
	return b
}

// Has reports whether a file, by its slash-separated name, is part of the build.
func (b Build) Has(name string, text []byte) bool {
	in := b.context()
	in.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	match, err := in.MatchFile(path.Dir(name), path.Base(name))
	return err != nil || match
}
