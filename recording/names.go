package recording

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const maxName = 4096 // bytes of a part's name

// validName reports whether name may be a part's: relative, slash-separated, clean, printable and
// without anything that an extractor on some system would treat as a path out of its directory.
func validName(name string) bool {
	if name == "" || len(name) > maxName || !utf8.ValidString(name) {
		return false
	}
	if name[0] == '/' || strings.ContainsAny(name, "\\:") || path.Clean(name) != name {
		return false
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// sourceName returns the archive name of a source file that profiles call p. Most paths are
// unchanged; what is not allowed in an archive name is escaped as %XX.
func sourceName(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	var b strings.Builder
	for elem := range strings.SplitSeq(p, "/") {
		if elem == "" {
			continue
		}
		b.WriteByte('/')
		if elem == "." || elem == ".." {
			b.WriteString(strings.ReplaceAll(elem, ".", "%2E"))
			continue
		}
		for i := 0; i < len(elem); {
			r, n := utf8.DecodeRuneInString(elem[i:])
			if r == utf8.RuneError && n == 1 || r == ':' || r == '%' || !unicode.IsPrint(r) {
				for _, c := range []byte(elem[i : i+n]) {
					b.WriteByte('%')
					b.WriteByte("0123456789ABCDEF"[c>>4])
					b.WriteByte("0123456789ABCDEF"[c&15])
				}
			} else {
				b.WriteString(elem[i : i+n])
			}
			i += n
		}
	}
	return strings.TrimSuffix(sourcePrefix, "/") + b.String()
}

// numbered returns the nth name after a collision: "a/b.go" becomes "a/b~2.go" for n 2.
func numbered(name string, n int) string {
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "~" + strconv.Itoa(n) + ext
}

func profilePart(name string) string { return profilePrefix + name + profileSuffix }

func profileName(part string) (string, bool) {
	s, ok := strings.CutPrefix(part, profilePrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(s, profileSuffix)
}

func kindOf(name string) Kind {
	switch {
	case strings.HasPrefix(name, sourcePrefix):
		return KindSource
	case strings.HasPrefix(name, profilePrefix):
		return KindProfile
	case strings.HasSuffix(name, TracePart):
		return KindTrace
	case strings.HasSuffix(name, ".json"):
		return KindJSON
	}
	return KindText
}

// profileOrder is the order in which profiles are listed; others follow by name.
func profileOrder() []string {
	return []string{
		"cpu", "heap", "heap.live", "allocs", "block", "mutex",
		"goroutine", "goroutine.start", "goroutineleak", "threadcreate",
	}
}

func compareProfileNames(order []string) func(a, b string) int {
	rank := func(s string) int {
		if i := slices.Index(order, s); i >= 0 {
			return i
		}
		return len(order)
	}
	return func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	}
}
