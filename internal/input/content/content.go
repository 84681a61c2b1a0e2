package content

import (
	"bytes"
	"unicode/utf8"
)

// Describe describes a file that is not a profile, and what to do with it, from its first bytes;
// "" if they do not show what it is.
func Describe(name string, head []byte) string {
	switch {
	case len(head) == 0:
		return "does the program end its profile (pprof.StopCPUProfile) before it exits?"
	case bytes.HasPrefix(head, []byte("go 1.")) && bytes.Contains(head[:min(len(head), 16)], []byte(" trace")):
		return "it is an execution trace: `go tool trace " + name + "` shows it"
	case bytes.HasPrefix(head, []byte("goroutine ")):
		return "it is a dump of goroutines: `whet goroutines " + name + "` reads it"
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return "it is a program: `whet record -- " + name + "` starts and records it"
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("<")):
		return "it is a web page or another markup: was it saved from an address that requires a login?"
	case IsText(head):
		return "it is text, not a profile"
	}
	return "it is neither a recording nor a profile that pprof can read"
}

// IsDebugText reports whether head begins the text form of a Go profile.
func IsDebugText(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	for _, prefix := range []string{"goroutine profile: total ", "threadcreate profile: total ", "--- mutex:"} {
		if bytes.HasPrefix(line, []byte(prefix)) {
			return true
		}
	}
	return bytes.HasPrefix(line, []byte("heap profile: ")) && bytes.Contains(line, []byte("@ heap/"))
}

// IsText reports whether head begins a text: valid UTF-8 without control characters. No protobuf
// profile does, because its first field is a message with lengths.
func IsText(head []byte) bool {
	for len(head) > 0 {
		c, n := utf8.DecodeRune(head)
		if c == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax {
			return false
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\x1b' {
			return false
		}
		head = head[n:]
	}
	return true
}
