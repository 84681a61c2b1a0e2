package testoutput

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"
)

// maxBytes is how much of the output is kept.
const maxBytes = 64 << 20

// A Buffer keeps the first 64 MiB of what is written to it. The zero value is empty.
type Buffer struct{ kept bytes.Buffer }

// Write keeps what is below the limit, and discards the rest without an error.
func (b *Buffer) Write(p []byte) (int, error) {
	b.kept.Write(p[:min(len(p), maxBytes-b.kept.Len())])
	return len(p), nil
}

// Bytes returns what was kept, which is valid until the next Write.
func (b *Buffer) Bytes() []byte { return b.kept.Bytes() }

var (
	failed = regexp.MustCompile(`(?m)^\s*--- FAIL: `)
	result = regexp.MustCompile(`(?m)^Benchmark\S*[ \t]+\d+[ \t]+\S+ \S+`)
)

// Failed reports whether a test or benchmark failed.
func Failed(out []byte) bool { return failed.Match(out) }

// Results returns the number of results of benchmarks.
func Results(out []byte) int { return len(result.FindAllIndex(out, -1)) }

// Failure returns the part of the output that explains why a test binary failed with err.
func Failure(out []byte, err error) string {
	var names []string
	running := ""
	sc := bufio.NewScanner(bytes.NewReader(out))
	sc.Buffer(nil, maxBytes)
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		// A benchmark's name is alone on its line until its result is printed.
		if strings.HasPrefix(line, "Benchmark") {
			if i := strings.IndexAny(line, " \t"); i >= 0 {
				running, line = line[:i], strings.TrimSpace(line[i:])
			} else {
				running, line = line, ""
			}
		}
		switch {
		case strings.HasPrefix(line, "--- FAIL: "):
			names = append(names, strings.TrimPrefix(line, "--- FAIL: "))
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			if running != "" {
				line += " in " + running
			}
			return line
		}
	}
	if len(names) > 0 {
		return "failed: " + strings.Join(names, ", ")
	}
	return firstLines(out, err)
}

// firstLines returns the start of a command's output, or err if there is none.
func firstLines(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) == 1 && lines[0] == "" {
		return err.Error()
	}
	const most = 5
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return strings.Join(lines, "\n")
}
