package mutants

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// Env is the environment variable with the number of the active mutant, from 1. Without it, or with
// 0, the package behaves as without mutants.
const Env = "WHET_MUTANT"

// ReachedEnv is the environment variable that names the file to which a process without an active
// mutant appends the numbers of the mutants that it reaches, one per line. ReadReached reads them.
const ReachedEnv = "WHET_REACHED"

// A Package is a package that was loaded with syntax and types.
type Package struct {
	Fset  *token.FileSet
	Files []*ast.File
	Texts map[string][]byte // source of the files, by their names in Fset
	Types *types.Package
	Info  *types.Info
	Sizes types.Sizes
	// Importer returns the packages that the files import.
	Importer types.Importer
	// GoVersion is that of the module, as "go1.26"; "" means the newest.
	GoVersion string
}

// Lines are the lines to mutate, by the name of their file in the package's Fset.
type Lines map[string][]Range

// A Range is the lines of a file from the first to the last, which is included.
type Range struct{ From, To int }

// A Mutant is a package with a small error.
type Mutant struct {
	File    string // its name in Fset
	Line    int
	Mutator string // the kind of error

	from, to int // bytes of the file
	text     string
}

// Apply returns the mutant's file. source is the original.
func (m *Mutant) Apply(source []byte) []byte {
	from, to := m.from, m.to
	line := bytes.LastIndexByte(source[:from], '\n') + 1
	if m.text == "" && len(bytes.TrimSpace(source[line:from])) == 0 && to < len(source) && source[to] == '\n' {
		from, to = line, to+1 // no empty line remains
	}
	return slices.Concat(source[:from], []byte(m.text), source[to:])
}

// A Set is the mutants of a package.
type Set struct {
	// Mutants are in the order of their places. The number of a mutant is its index and one.
	Mutants []Mutant
	// Files are the files that contain them, by their names in Fset.
	Files map[string][]byte
	// Left are functions on the lines that are not mutated, and why.
	Left []string
}

// Make returns at most most mutants of lines of a package.
func Make(p *Package, lines Lines, most int) *Set {
	set := &Set{}
	var all []*source
	for _, file := range p.Files {
		name := p.Fset.File(file.FileStart).Name()
		text, ranges := p.Texts[name], lines[name]
		if len(ranges) == 0 || text == nil {
			continue
		}
		s := &source{p: p, file: file, name: name, text: text, lines: ranges}
		set.Left = append(set.Left, s.find()...)
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	var choices []*choice
	for _, s := range all {
		for _, at := range s.sites {
			choices = append(choices, at.choices...)
		}
	}
	for i, at := range Spread(len(choices)) {
		choices[at].dropped = i >= most
	}
	set.Files = p.fit(all)
	for _, s := range all {
		for _, c := range s.kept() {
			set.Mutants = append(set.Mutants, c.Mutant)
		}
	}
	return set
}

// Spread returns the numbers below n in an order in which the first few are spread evenly over all.
func Spread(n int) []int {
	step := max(n*618/1000, 1) // the golden ratio
	for gcd(step, n) > 1 {
		step++
	}
	order := make([]int, n)
	for i := range order {
		order[i] = (i*step + n/2) % n
	}
	return order
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Support returns the file, to add to the package, that chooses the mutant of a process.
func (s *Set) Support(pkg string) []byte {
	return fmt.Appendf(nil, support, pkg, Env, ReachedEnv, len(s.Mutants)+1, maxMemory)
}

// SupportName is the base name of the file of Support.
const SupportName = "zz_whet_mutants.go"

// maxMemory is the size of a process at which a mutant ends it: the error may be a loop that
// allocates.
const maxMemory = 2 << 30

// support is compiled into the package of the user, which may be for an older language version. It starts no
// goroutine that tests could find.
const support = `//go:build go1.24

package %s

// The mutants of this package. Written by whet; see https://github.com/whet-go/whet, package
// internal/prove/mutants.

import (
	whet_os "os"
	whet_metrics "runtime/metrics"
	whet_strconv "strconv"
	whet_atomic "sync/atomic"
	whet_time "time"
)

var whetMutantActive, whetMutantLog = whetMutantStart()

var whetMutantSeen [%[4]d]uint32

func whetMutantStart() (int, *whet_os.File) {
	active, _ := whet_strconv.Atoi(whet_os.Getenv(%[2]q))
	if active > 0 {
		whetMutantWatch()
		return active, nil
	}
	name := whet_os.Getenv(%[3]q)
	if name == "" {
		return 0, nil
	}
	log, _ := whet_os.OpenFile(name, whet_os.O_APPEND|whet_os.O_CREATE|whet_os.O_WRONLY, 0o600)
	return 0, log
}

func whetMutantWatch() {
	whet_time.AfterFunc(20*whet_time.Millisecond, func() {
		sample := []whet_metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		whet_metrics.Read(sample)
		if sample[0].Value.Kind() == whet_metrics.KindUint64 && sample[0].Value.Uint64() > %[5]d {
			_, _ = whet_os.Stderr.WriteString("the mutant uses too much memory\n")
			whet_os.Exit(1)
		}
		whetMutantWatch()
	})
}

func whetMutantIs(n int) bool {
	return whetMutantActive == n || whetMutantLog != nil && whetMutantReached(n)
}

func whetMutantReached(n int) bool {
	if whet_atomic.CompareAndSwapUint32(&whetMutantSeen[n], 0, 1) {
		_, _ = whetMutantLog.WriteString(whet_strconv.Itoa(n) + "\n")
	}
	return false
}
`

// ReadReached returns the numbers of mutants in what processes wrote to the file of ReachedEnv.
func ReadReached(text []byte) map[int]bool {
	reached := map[int]bool{}
	for line := range strings.Lines(string(text)) {
		var n int
		if _, err := fmt.Sscanf(line, "%d", &n); err == nil {
			reached[n] = true
		}
	}
	return reached
}

// Base returns the base name of the mutant's file.
func (m *Mutant) Base() string { return filepath.Base(m.File) }
