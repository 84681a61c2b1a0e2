package syntax

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"

	"github.com/whet-go/whet/internal/prove/scratch"
)

// A Suspect is something that a change adds or removes and that tests and benchmarks cannot judge: it
// may make code faster only while it is measured, or at the expense of something that is not measured.
type Suspect struct {
	File string `json:"file"` // relative to the module
	What string `json:"what"` // what is added, or is gone
	Why  string `json:"why"`  // why that needs review
	Gone bool   `json:"gone,omitempty"`
}

// String describes it in a sentence.
func (s *Suspect) String() string {
	if s.Gone {
		return fmt.Sprintf("%s no longer uses %s: %s", s.File, s.What, s.Why)
	}
	return fmt.Sprintf("%s uses %s: %s", s.File, s.What, s.Why)
}

// whySuspicious returns why the use of a package's identifier needs review; "" if it does not. The
// name is the import path, a dot and the identifier.
func whySuspicious(name string) string {
	switch name {
	case "testing.Testing", "testing.Benchmark", "testing.B":
		return "code that detects that it is tested or measured may behave differently in production"
	case "flag.Lookup":
		return "code that reads the flags of a test may behave differently in production"
	case "os.Args", "os.Executable", "os.Getenv", "os.LookupEnv", "os.Environ", "syscall.Getenv",
		"runtime/debug.ReadBuildInfo":
		return "code that depends on how it was built or started may behave differently in production"
	case "runtime.Caller", "runtime.Callers", "runtime.CallersFrames", "runtime.Stack", "runtime/debug.Stack",
		"runtime.FuncForPC":
		return "code that inspects its callers may recognize a benchmark"
	case "runtime/debug.SetGCPercent", "runtime/debug.SetMemoryLimit":
		return "it trades memory for speed in the whole process"
	case "runtime.GC", "runtime.GOMAXPROCS", "runtime.LockOSThread", "os/signal.Notify", "runtime/debug.FreeOSMemory",
		"runtime/debug.SetMaxThreads", "runtime/debug.SetMaxStack":
		return "it affects the whole process"
	case "runtime.SetFinalizer", "runtime.AddCleanup":
		return "benchmarks do not measure work in finalizers"
	case "time.AfterFunc", "context.AfterFunc":
		return "benchmarks do not measure work that runs later"
	case "os/exec.Command", "os/exec.CommandContext":
		return "benchmarks do not measure work in other processes"
	case "reflect.NewAt", "reflect.SliceHeader", "reflect.StringHeader":
		return "it bypasses the type system"
	case "syscall.Syscall", "syscall.RawSyscall":
		return "it bypasses the runtime"
	case "sync.Pool":
		return "a reused value may leak data from one user to the next"
	case "unique.Make":
		return "values that are kept may enlarge the live heap"
	}
	return ""
}

// Suspects returns what needs review: what changed files add, state that changed packages newly store
// between calls, effects that they no longer have, and constants that they take from the tests.
func Suspects(changes scratch.Changes, packages []Sources) ([]Suspect, error) {
	list, err := suspectUses(changes)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		a, err := parse(p.Before)
		if err != nil {
			return nil, err
		}
		b, err := parse(p.After)
		if err != nil {
			return nil, err
		}
		list = slices.Concat(list, newStates(a, b), keptByClosures(a, b), sharedValues(a, b), lostEffects(a, b),
			testInputs(a, b, p.Before, p.Tests))
	}
	return list, nil
}

// suspectUses returns what changed files use more often than before.
func suspectUses(changes scratch.Changes) ([]Suspect, error) {
	var list []Suspect
	for _, file := range slices.Sorted(maps.Keys(changes)) {
		if !IsSource(file) {
			continue
		}
		before, err := uses(file, changes[file].Before)
		if err != nil {
			return nil, err
		}
		after, err := uses(file, changes[file].After)
		if err != nil {
			return nil, err
		}
		for _, what := range slices.Sorted(maps.Keys(after)) {
			if after[what].times > before[what].times {
				list = append(list, Suspect{File: file, What: what, Why: after[what].why})
			}
		}
	}
	return list, nil
}

const whyGoroutine = "not every benchmark shows work in other goroutines, or goroutines that never end"

// A use is how often a file has something, and why that needs review.
type use struct {
	times int
	why   string
}

// uses counts what a file has that needs review, by name. A file that does not exist has nothing.
func uses(name string, source []byte) (map[string]use, error) {
	found := map[string]use{}
	if source == nil {
		return found, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	add := func(what, why string) {
		u := found[what]
		found[what] = use{u.times + 1, why}
	}
	n, err := unsafeUses(name, source)
	if err != nil {
		return nil, err
	}
	for range n {
		add("unsafe code", "it bypasses the type system, and may be correct only with this code and this version of Go")
	}
	packages := map[string]string{} // import path by name
	for _, spec := range file.Imports {
		p, _ := strconv.Unquote(spec.Path.Value) // already parsed
		as := lastElement(p)
		if spec.Name != nil {
			as = spec.Name.Name
		}
		packages[as] = p
	}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil && n.Name.Name == "init" {
				add("func init", "benchmarks do not measure work at program start")
			}
			if n.Body == nil {
				add("assembly or linked code", "it is not compared on other architectures")
			}
		case *ast.GoStmt:
			add("go statement", whyGoroutine)
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" && len(n.Args) == 1 {
				add("go statement", whyGoroutine)
			}
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				full := fmt.Sprintf("%s.%s", packages[x.Name], n.Sel.Name)
				if why := whySuspicious(full); why != "" {
					add(full, why)
				}
				if n.Sel.Name == "N" && x.Name == "b" && packages["testing"] != "" {
					add("testing.B.N", whySuspicious("testing.B"))
				}
			}
		}
		return true
	})
	return found, nil
}

// lastElement returns the name that a package is imported by, without the suffix of a major version.
func lastElement(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' {
		if _, err := strconv.Atoi(base[1:]); err == nil {
			base = path.Base(path.Dir(p))
		}
	}
	return base
}
