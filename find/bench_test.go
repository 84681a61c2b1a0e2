package find_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/profile"
)

// BenchmarkFind analyzes all packages of whet, about 100 000 lines with their tests: with an empty
// build cache, with what `go build` and `go vet` leave there, and with the compiler's notes cached,
// too. It reports the time of each stage as well as the total.
func BenchmarkFind(b *testing.B) {
	root, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	cpu, lines := everywhere(b, root)
	for _, cache := range []string{"cold", "warm", "again"} {
		b.Run("cache="+cache, func(b *testing.B) {
			stages := map[string]time.Duration{}
			findings := 0
			notes := b.TempDir()
			o := find.Options{
				Dir: root, Own: profile.OwnMatcher([]string{"github.com/whet-go/whet"}, nil), Rules: index.Rules(), Notes: notes,
			}
			if cache == "again" {
				look(b, cpu, o, nil)
			}
			b.ResetTimer()
			for b.Loop() {
				b.StopTimer()
				switch cache {
				case "cold":
					o.Env = []string{"GOCACHE=" + b.TempDir()}
					o.Notes = b.TempDir()
				case "warm":
					o.Notes = b.TempDir()
				}
				b.StartTimer()
				findings = look(b, cpu, o, stages)
			}
			for name, took := range stages {
				b.ReportMetric(took.Seconds()/float64(b.N), name+"-sec/op")
			}
			b.ReportMetric(float64(findings), "findings")
			b.ReportMetric(float64(lines), "lines")
		})
	}
}

// look runs Find, adds the time of each stage to stages, and returns the number of findings.
func look(b *testing.B, cpu *profile.Profile, o find.Options, stages map[string]time.Duration) int {
	b.Helper()
	at, began := "", time.Now()
	next := func(what string) {
		if at != "" && stages != nil {
			stages[at] += time.Since(began)
		}
		at, began = what, time.Now()
		at, _, _ = strings.Cut(at, " ") // read, load, run, ask
	}
	o.Progress = next
	r, err := find.Find(b.Context(), find.Profiles{CPU: cpu}, o)
	next("")
	if err != nil {
		b.Fatal(err)
	}
	if len(r.Warnings) > 0 {
		b.Fatal(r.Warnings)
	}
	return len(r.Findings)
}

// everywhere returns a CPU profile with samples on all lines of all functions of a module, fewer on
// each one than on the one before it (Zipf), and the number of the module's lines.
func everywhere(b *testing.B, root string) (cpu *profile.Profile, lines int) {
	b.Helper()
	var functions []function
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			base := entry.Name()
			if base == "testdata" || base == "node_modules" || strings.HasPrefix(base, ".") ||
				name == filepath.Join(root, "examples") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		lines += bytes.Count(text, []byte("\n"))
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			functions = append(functions,
				function{fn.Name.Name, name, fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	p := profile.NewBuilder(profile.ValueType{Type: "samples", Unit: "count"}, profile.ValueType{
		Type: "cpu", Unit: "nanoseconds",
	})
	var stack []uint32 // what rules look for, below each line
	for _, name := range []string{
		"runtime.mallocgc", "runtime.growslice", "runtime.concatstrings", "runtime.convTstring",
		"fmt.Sprintf", "regexp.MustCompile", "encoding/json.Unmarshal",
	} {
		stack = append(stack, p.Location(uint64(len(stack)+1), profile.None, false, profile.Line{
			Function: p.Function(profile.Function{Name: name, File: "/go/src/x.go"}), Line: 1,
		}))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(functions), func(i, j int) {
		functions[i], functions[j] = functions[j], functions[i]
	})
	addr := uint64(len(stack))
	for rank, fn := range functions {
		f := p.Function(profile.Function{
			Name: "github.com/whet-go/whet." + fn.name, File: fn.file, StartLine: int64(fn.from),
		})
		for line := fn.from; line <= fn.to; line++ {
			addr++
			hot := int64(10_000_000_000 / (rank + 1) / (fn.to - fn.from + 1))
			if err := p.Sample(append(stack[:len(stack):len(stack)],
				p.Location(addr, profile.None, false, profile.Line{Function: f, Line: int32(line)})), nil,
				1+hot/10_000_000, hot); err != nil {
				b.Fatal(err)
			}
		}
	}
	return p.Profile(nil), lines
}

// A function is some lines of a file.
type function struct {
	name, file string
	from, to   int
}
