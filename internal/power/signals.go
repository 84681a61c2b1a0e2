package main

import (
	"regexp"
	"slices"
	"strings"
)

// A speedSignal is a hint that a change is made for speed.
type speedSignal struct {
	name           string
	added, removed *regexp.Regexp // of lines; nil: any
	weak           bool           // it needs another one
}

// signals returns what to look for in a diff.
func signals() []speedSignal {
	re := regexp.MustCompile
	return []speedSignal{
		{name: "builder", added: re(`strings\.Builder|bytes\.Buffer|bytebufferpool|\bbufio\.`)},
		{name: "preallocation", added: re(`\bmake\([^()]*,[^()]*(\([^()]*\))?[^()]*\)|\.Grow\(|slices\.Grow`)},
		{name: "append forms", added: re(`\b(strconv|utf8|fmt)\.Append|\.Append[A-Z]\w*\(|[aA]ppend[A-Z]\w*\(`)},
		{name: "strconv for fmt", added: re(`strconv\.`), removed: re(`\bfmt\.`)},
		{name: "no fmt", added: re(`.`), removed: re(`fmt\.Sprint|fmt\.Fprint`)},
		{name: "pool", added: re(`sync\.Pool|\b\w*[pP]ool\w*\.(Get|Put)\(|[aA]cquire\w*\(|[rR]elease\w*\(`)},
		{name: "cache", added: re(`(?i)cache|memo(ize)?\b|sync\.Map|sync\.Once`)},
		{
			name: "byte search",
			added: re(`Index(Byte|Any|Rune|Func)?\(|LastIndexByte|HasPrefix|\bCut(Prefix|Suffix)?\(` +
				`|EqualFold|Contains(Rune|Any)?\(`),
		},
		{
			name:    "no regexp",
			added:   re(`.`),
			removed: re(`regexp\.|MatchString|FindString|FindAll|ReplaceAll(String)?\(|\.Match\(`),
		},
		{name: "regexp once", removed: re(`regexp\.MustCompile|regexp\.Compile`)},
		{name: "no map", added: re(`switch|\[\.\.\.\]|\[256\]|\[\]`), removed: re(`map\[`)},
		{name: "table", added: re(`\[(256|128|1 ?<< ?\d+)\]|[tT]able\[|lookup\w*\[|LUT`)},
		{
			name:  "no split",
			added: re(`.`),
			removed: re(`strings\.(Split|Fields|Join|Repeat|ToLower|ToUpper|Title|Replace|Trim` +
				`|NewReplacer|Map)\(|bytes\.(Split|Join|Replace|ToLower)\(`),
		},
		{name: "no reflection", added: re(`.`), removed: re(`reflect\.|DeepEqual`)},
		{name: "type switch", added: re(`\.\(type\)|case (string|int|\[\]byte)\b`)},
		{name: "no defer", removed: re(`\bdefer\b`), weak: true},
		{name: "no sort", removed: re(`sort\.(Slice|Sort|Strings|Ints|Stable)`)},
		{name: "slices", added: re(`\b(slices|maps)\.\w+\(`)},
		{name: "conversions", removed: re(`\[\]byte\(|\bstring\(|\[\]rune\(`), weak: true},
		{
			name:  "unsafe",
			added: re(`unsafe\.|[bB](ytes)?2[sS]\w*\(|[sS](tring)?2[bB]\w*\(|[bB]ytesToString|[sS]tringToBytes`),
		},
		{name: "reuse", added: re(`\[:0\]|\.Reset\(\)|\bclear\(`)},
		{name: "copy", added: re(`\bcopy\(|slices\.Clone|WriteString\(|WriteByte\(|io\.WriteString`), weak: true},
		{name: "bits", added: re(`\bbits\.|>>|<<|binary\.(Little|Big)Endian`), weak: true},
		{name: "utf8", added: re(`utf8\.|RuneSelf`), weak: true},
		{name: "bounds", added: re(`_ = \w+\[|\[:\w+:\w+\]`)},
		{name: "atomics", added: re(`atomic\.|RLock\(\)|RWMutex`)},
		{
			name: "comments",
			added: re(`(?i)//.*\b(alloc\w*|fast\w*|perf\w*|optimi\w*|slow\w*|cheap\w*|effic\w*|avoid\w*` +
				`|quick\w*|escape\w*|inline\w*|hot path|bounds check)`),
		},
		{name: "names", added: re(`(?i)\b\w*(fast|prealloc|noalloc|nocopy|slowpath|optimi[sz]ed|unrolled)\w*\(`)},
		{name: "early return", added: re(`^\s*if (len\(\w+\)|n|\w+ == (""|nil)).*\{$`), weak: true},
		{name: "append", added: re(`\bappend\(`), weak: true},
		{name: "loop", added: re(`^\s*for\b`), removed: re(`^\s*for\b`), weak: true},
		{name: "no append", removed: re(`\bappend\(`), weak: true},
	}
}

// signalsOf returns the names of a diff's signals; none if they are too weak.
func signalsOf(diff string) (names []string) {
	var added, removed []string
	for line := range strings.Lines(diff) {
		switch line = strings.TrimRight(line, "\n"); {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
		case strings.HasPrefix(line, "-"):
			removed = append(removed, line[1:])
		}
	}
	strength := 0
	for _, s := range signals() {
		if !matches(s.added, added, removed) || !matches(s.removed, removed, added) {
			continue
		}
		names = append(names, s.name)
		if strength += 2; s.weak {
			strength--
		}
	}
	if strength < 2 {
		return nil
	}
	return names
}

// matches reports whether re matches a line that others do not have.
func matches(re *regexp.Regexp, lines, others []string) bool {
	if re == nil {
		return true
	}
	return slices.ContainsFunc(lines, func(line string) bool {
		return re.MatchString(line) && !slices.Contains(others, line)
	})
}

// changedLines returns the number of added or of removed lines of a diff, whichever is larger.
func changedLines(diff string) int {
	added, removed := 0, 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			added++
		case strings.HasPrefix(line, "-"):
			removed++
		}
	}
	return max(added, removed)
}
