package hostile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The limits for any command on any hostile input: bytes of memory, and seconds of CPU time.
const (
	BoundMemory  = 512 << 20
	BoundSeconds = 30
)

// Terminal is text that must not reach a terminal unchanged: escape sequences in 7 and 8 bits, a
// bell, a carriage return, zero-width characters, characters that change the direction of writing,
// and invalid UTF-8.
const Terminal = "\x1b[31m\x1b]0;t\x07\r\b\x7f\u009b31m\u200b\u202e\u2066\ufeff\xff"

// Files writes every hostile file to a directory and returns their names.
func Files(dir string) ([]string, error) {
	var names []string
	for name, generate := range map[string]func() []byte{
		"samples.pb.gz":      func() []byte { return Gzip(Bomb(4 << 20)) },
		"inlined.pb.gz":      func() []byte { return Gzip(Inlined(1<<20, 1)) },
		"inlined-many.pb.gz": func() []byte { return Gzip(Inlined(4000, 20_000)) },
		"inlined-just.pb.gz": func() []byte { return Gzip(Inlined(9000, 900)) },
		"deep.pb.gz":         func() []byte { return Gzip(Deep(60_000, 500)) },
		"labels.pb.gz":       func() []byte { return Gzip(Labels(400_000)) },
		"count.txt":          func() []byte { return CountText(400_000) },
		"count.txt.gz":       func() []byte { return Gzip(CountText(1 << 20)) },
		"heap.txt":           func() []byte { return HeapText(400_000) },
		"heap.txt.gz":        func() []byte { return Gzip(HeapText(1 << 20)) },
		"java.txt.gz":        func() []byte { return Gzip(JavaText(1 << 20)) },
		"strings.pb.gz":      func() []byte { return Gzip(Strings(Terminal)) },
		"part.whet":          func() []byte { return Recording(Bomb(8 << 20)) },
		"part-text.whet":     func() []byte { return Recording(HeapText(2 << 20)) },
		"strings.whet":       func() []byte { return RecordingOf("\x1b[31m\u009b\u202e") },
		"six-gb.pb.gz": func() []byte {
			return append(Gzip(head()), bytes.Repeat(Gzip(bytes.Repeat(message(nil).bytes(2, sample(1)), 1<<17)),
				6<<10*(1<<20)/(1<<17*8))...)
		},
		"six-gb.whet":   func() []byte { return Inflating(6 << 10) },
		"names.whet":    Names,
		"manifest.whet": func() []byte { return Manifest(1 << 20) },
		"headers.whet":  func() []byte { return Headers(1 << 16) },
		"overlap.whet":  func() []byte { return Overlap(1 << 15) },
	} {
		if err := os.WriteFile(filepath.Join(dir, name), generate(), 0o600); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// Left returns the first part of text that a terminal would interpret, or "".
func Left(text string) string {
	if !utf8.ValidString(text) {
		return "invalid UTF-8"
	}
	for _, s := range []string{"\x1b", "\r", "\b", "\a", "\x7f", "\u009b", "\u200b", "\u202e", "\u2066", "\ufeff"} {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}
