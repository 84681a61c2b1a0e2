package gotest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/procgroup"
	"github.com/whet-go/whet/internal/procgroup/clip"
)

// A Source is a state of a module with its build settings.
type Source struct {
	Name  string   // used in messages: "base", "A"; may be empty
	Dir   string   // a directory of the module, in which the go command runs; "" means the current one
	Flags []string // of go build: -tags=fast, -gcflags=…; see ParseFlags
	// Env is KEY=value for building and running, in addition to the environment of this process.
	// Variables that only affect a Go program's runtime (GOGC, GOMAXPROCS, GOMEMLIMIT, GODEBUG,
	// GOTRACEBACK, GORACE) are hidden from the go command, which is a Go program.
	Env []string
	// Overlay maps the path of a file to the path of the file that is compiled instead; "" means
	// that the file does not exist. Paths are absolute.
	Overlay map[string]string
	// Wrap is the beginning of the command lines that run test binaries; nil for none.
	Wrap []string
	// Watch, if set, is called with the process of each test binary, which leads a process group, and returns when
	// ended is closed. It may kill the group before, and then returns why.
	Watch func(pid int, ended <-chan struct{}) (killed string)
}

// A Package is a package with benchmarks.
type Package struct {
	ImportPath string
	Name       string   // of the package clause
	Dir        string   // where its files are, and where its tests run
	Benchmarks []string // the functions, in the order of their declaration
	// Concurrent are those that start goroutines in their test file: with RunParallel or a go
	// statement, in the benchmark or in what it calls there.
	Concurrent []string
	Main       bool // it is a command
}

// List returns the packages that patterns such as "./..." match and whose test files, internal and
// external, declare benchmarks. No pattern means "./...". A package that cannot be loaded becomes a
// failure, while the others continue; the error is for when nothing can be listed.
func List(ctx context.Context, src Source, patterns []string) ([]Package, []Failure, error) {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	for _, p := range patterns {
		if strings.HasPrefix(p, "-") || p == "" {
			return nil, nil, &diag.Error{
				Op: "list packages", Subject: fmt.Sprintf("%q", p),
				Err: errors.New("not a package pattern"), Hint: "give patterns such as ./... or a package's path",
			}
		}
	}
	listed, err := src.list(ctx, patterns)
	if err != nil {
		return nil, nil, err
	}
	var out []Package
	var failures []Failure
	for _, p := range listed {
		if p.Error != nil {
			failures = append(failures, Failure{Package: p.ImportPath, Err: errors.New(strings.TrimSpace(p.Error.Err))})
			continue
		}
		pkg := Package{ImportPath: p.ImportPath, Name: p.Name, Dir: p.Dir, Main: p.Name == "main"}
		for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
			names, concurrent, err := src.declared(filepath.Join(p.Dir, name))
			if err != nil {
				failures = append(failures, Failure{Package: p.ImportPath, Err: err})
				pkg.Benchmarks = nil
				break
			}
			pkg.Benchmarks = append(pkg.Benchmarks, names...)
			pkg.Concurrent = append(pkg.Concurrent, concurrent...)
		}
		if len(pkg.Benchmarks) > 0 {
			out = append(out, pkg)
		}
	}
	return out, failures, nil
}

// listed is the part of go list -json used here.
type listed struct {
	ImportPath   string
	Dir          string
	Name         string
	TestGoFiles  []string
	XTestGoFiles []string
	Error        *struct{ Err string }
}

func (src Source) list(ctx context.Context, patterns []string) ([]listed, error) {
	args := []string{"-e", "-json=ImportPath,Dir,Name,TestGoFiles,XTestGoFiles,Error"}
	overlay, remove, err := src.overlayFlag()
	if err != nil {
		return nil, err
	}
	defer remove()
	args = slices.Concat(args, src.Flags, overlay, []string{"--"}, patterns)
	stdout, stderr, err := src.goCommand(ctx, "list", args)
	subject := strings.Join(patterns, " ")
	if err != nil {
		return nil, src.named(goError("list packages", subject, stderr, err))
	}
	var out []listed
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, src.named(goError("list packages", subject, "", err))
		}
		out = append(out, p)
	}
	if len(out) == 0 {
		return nil, src.named(&diag.Error{Op: "list packages", Subject: subject, Err: errors.New("no packages match")})
	}
	return out, nil
}

// named adds the side to an error.
func (src Source) named(err error) error {
	if src.Name == "" || err == nil {
		return err
	}
	e := (*diag.Error)(nil)
	if errors.As(err, &e) {
		e.Op = src.Name + ": " + e.Op
	}
	return err
}

// declared returns the benchmarks that a test file declares, and those of them that start
// goroutines.
func (src Source) declared(path string) (names, concurrent []string, err error) {
	from := path
	if replaced, ok := src.Overlay[path]; ok {
		from = replaced
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return nil, nil, err
	}
	// Most test files have none, and parsing costs more than searching.
	if !bytes.Contains(text, []byte("func Benchmark")) {
		return nil, nil, nil
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	start := starters(file)
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && isBenchmark(f) {
			names = append(names, f.Name.Name)
			if start[f.Name.Name] {
				concurrent = append(concurrent, f.Name.Name)
			}
		}
	}
	return names, concurrent, nil
}

// starters returns the functions and methods of a file that start goroutines, directly or through
// others in the file, by name.
func starters(file *ast.File) map[string]bool {
	start := map[string]bool{}
	calls := map[string][]string{} // callers by what they name
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				start[f.Name.Name] = true
			case *ast.Ident:
				if n.Name == "RunParallel" {
					start[f.Name.Name] = true
				}
				calls[n.Name] = append(calls[n.Name], f.Name.Name)
			}
			return true
		})
	}
	var through func(name string)
	through = func(name string) {
		for _, caller := range calls[name] {
			if !start[caller] {
				start[caller] = true
				through(caller)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(start)) {
		through(name)
	}
	return start
}

// isBenchmark reports whether go test takes a function for a benchmark, by name and parameters.
func isBenchmark(f *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(f.Name.Name, "Benchmark")
	if first, _ := utf8.DecodeRuneInString(rest); !ok || rest != "" && unicode.IsLower(first) {
		return false
	}
	return f.Recv == nil && f.Type.TypeParams == nil && f.Type.Results == nil &&
		f.Type.Params.NumFields() == 1
}

// goCommand runs the go command in the source's directory.
func (src Source) goCommand(ctx context.Context, verb string, args []string) (stdout []byte, stderr string, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{verb}, args...)...)
	cmd.Dir = src.Dir
	cmd.Env = append(cmd.Environ(), src.buildEnv()...)
	var out bytes.Buffer
	messages := &clip.Buffer{Head: 64 << 10, Tail: 64 << 10}
	cmd.Stdout, cmd.Stderr = &out, messages
	err = procgroup.RunGo(cmd)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return out.Bytes(), messages.String(), err
}

// buildEnv returns Env without variables that would affect the go command instead of what it
// builds.
func (src Source) buildEnv() []string {
	var out []string
	for _, kv := range src.Env {
		switch key, _, _ := strings.Cut(kv, "="); key {
		case "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GODEBUG", "GOTRACEBACK", "GORACE":
		default:
			out = append(out, kv)
		}
	}
	return out
}

// overlayFlag writes Overlay to a file for the go command. remove deletes the file.
func (src Source) overlayFlag() (flag []string, remove func(), err error) {
	if len(src.Overlay) == 0 {
		return nil, func() {}, nil
	}
	for _, f := range src.Flags {
		if strings.HasPrefix(f, "-overlay") {
			return nil, nil, &diag.Error{
				Op: "build", Subject: src.Dir,
				Err: errors.New("-overlay is needed for the benchmarks that are carried over"), Hint: "omit one of the two",
			}
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": src.Overlay})
	if err != nil {
		return nil, nil, fmt.Errorf("write overlay: %w", err)
	}
	file, err := os.CreateTemp("", "whet-overlay-*.json")
	if err != nil {
		return nil, nil, fmt.Errorf("write overlay: %w", err)
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return nil, nil, fmt.Errorf("write overlay: %w", err)
	}
	return []string{"-overlay=" + file.Name()}, func() { _ = os.Remove(file.Name()) }, nil
}

// GoVersion returns the version of the go command that builds the source, such as "go1.26.1": a
// module may select another than the installed one.
func GoVersion(ctx context.Context, src Source) (string, error) {
	out, stderr, err := src.goCommand(ctx, "env", []string{"GOVERSION"})
	if err != nil {
		return "", src.named(goError("get the version of", "go", stderr, err))
	}
	return strings.TrimSpace(string(out)), nil
}
