package machinecode

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"go/token"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A listing is what the compiler made of packages.
type listing struct {
	symbols   map[symbol]*contents
	functions int
}

// A symbol is a function or data, by the package in whose compilation it was made.
type symbol struct{ pkg, name string }

// contents are the code or data of a symbol, with kind and attributes, and what they refer to.
type contents struct {
	text []byte
	refs []string
}

// A class is what functions that do the same have in common, as a hash.
type class [sha256.Size]byte

// classOf returns the class of contents of a class before, given that of the functions they refer to.
func (c *contents) classOf(before class, classes map[string]class) (is class) {
	h := sha256.New()
	write := func(p []byte) { _, _ = h.Write(p) } // it never fails
	write(before[:])
	write(c.text)
	for _, name := range c.refs {
		to, ok := classes[name]
		if !ok {
			to = sha256.Sum256([]byte(name))
		}
		write(to[:])
	}
	h.Sum(is[:0])
	return is
}

// Limits of a listing: its size, and that of a line, in bytes.
const (
	maxListing = 256 << 20
	maxLine    = 16 << 20
)

var errListing = errors.New("the listing is too large")

// head matches the first line of a symbol in the listing of cmd/compile's flag -S: name, kind, and attributes.
var head = regexp.MustCompile(`^(\S.*) (S[A-Z]+) ((?:.* )?size=\d+.*)$`)

// readListing reads what go build prints with -gcflags=-S: for each package a line with "# " and its path; for each
// symbol a line with name, kind and attributes, then with a tab before them lines of instructions, which have
// positions, of bytes, and of relocations. Debug information is left out.
func readListing(r io.Reader) (*listing, error) {
	l := &listing{symbols: map[symbol]*contents{}}
	scanner := bufio.NewScanner(io.LimitReader(r, maxListing))
	scanner.Buffer(nil, maxLine)
	pkg, size := "", 0
	var at *contents
	for scanner.Scan() {
		line := scanner.Text()
		if size += len(line) + 1; size >= maxListing {
			return l, errListing
		}
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			if at != nil {
				at.add(rest)
			}
			continue
		}
		at = nil
		if strings.HasPrefix(line, "# ") {
			pkg = line
			continue
		}
		m := head.FindStringSubmatch(line)
		if m == nil || strings.HasPrefix(m[2], "SDWARF") || strings.HasPrefix(m[1], "gclocals·") {
			continue
		}
		s := symbol{pkg, m[1]}
		if at = l.symbols[s]; at == nil {
			at = &contents{}
			l.symbols[s] = at
		}
		at.text = append(append(append(append(at.text, m[2]...), ' '), m[3]...), '\n')
		if m[2] == "STEXT" {
			l.functions++
		}
	}
	return l, scanner.Err()
}

// add adds a line of a symbol, without the tab.
func (c *contents) add(line string) {
	if rest, ok := strings.CutPrefix(line, "0x"); ok {
		// "0x0004 00004 (x.go:3)\tRET" is an instruction, and the bytes of all are "0x0000 c3".
		if _, rest, _ = strings.Cut(rest, " "); strings.Contains(rest[:min(len(rest), 12)], " (") {
			return
		}
	}
	if rest, ok := strings.CutPrefix(line, "rel "); ok { // "rel 60+4 t=R_CALL fmt.Println+0"
		where, to, ok := cutAfter(rest, " t=")
		if kind, name, named := strings.Cut(to, " "); ok && named {
			plus := strings.LastIndexByte(name, '+')
			c.text = append(append(append(c.text, where...), kind...), name[max(plus, 0):]...)
			c.text = append(c.text, '\n')
			c.refs = append(c.refs, name[:max(plus, 0)])
			return
		}
	}
	c.text = append(append(c.text, line...), '\n')
}

// cutAfter cuts s after a separator.
func cutAfter(s, separator string) (before, after string, ok bool) {
	i := strings.Index(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i+len(separator)], s[i+len(separator):], true
}

// mayRename reports whether a symbol is an unexported function of its package, whose name no other code knows; or
// belongs to one.
func (s symbol) mayRename() bool {
	slash := strings.LastIndexByte(s.name, '/') + 1
	pkg, local, ok := strings.Cut(s.name[slash:], ".")
	pkg = s.name[:slash] + strings.ReplaceAll(pkg, "%2e", ".") // as cmd/internal/objabi.PathToPrefix writes them
	first, rest, _ := strings.Cut(strings.TrimSuffix(local, "·f"), ".")
	return ok && (pkg == strings.TrimPrefix(s.pkg, "# ") || pkg == "main") && token.IsIdentifier(first) &&
		!token.IsExported(first) && first != "init" && first != "main" &&
		(rest == "" || strings.HasPrefix(rest, "func") || slices.Contains([]string{
			"arginfo0", "arginfo1", "argliveinfo", "args_stackmap", "opendefer", "stkobj", "wrapinfo",
		}, rest))
}
