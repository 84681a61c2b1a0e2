package objfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program is compiled by tests. It prints, for each address that it reads, what the runtime knows
// about the instruction there; "base" prints its load offset.
const program = `package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

type pair[T any] struct{ a, b T }

//go:noinline
func (p pair[T]) swap() pair[T] { return pair[T]{p.b, p.a} }

//go:noinline
func outer(n int) []uintptr { return middle(n + 1) }

func middle(n int) []uintptr {
	return inner(n * 3)
}

func inner(n int) []uintptr {
	return capture(n ^ 5)
}

//go:noinline
func capture(n int) []uintptr {
	pcs := make([]uintptr, 20+n%2)
	return pcs[:runtime.Callers(2, pcs)]
}

func show(f runtime.Frame) { fmt.Printf("%s\t%s\t%d\n", f.Function, f.File, f.Line) }

func main() {
	if len(os.Args) > 1 {
		pcs := outer(len(os.Args))
		maps, _ := os.ReadFile("/proc/self/maps")
		for _, line := range strings.Split(string(maps), "\n") {
			if strings.Contains(line, "r-xp") && strings.HasSuffix(line, os.Args[0]) {
				fmt.Println(line)
			}
		}
		fmt.Printf("%#x\n", pcs[0]-1)
		frames := runtime.CallersFrames(pcs)
		for range 3 {
			f, _ := frames.Next()
			show(f)
		}
		return
	}
	_ = pair[string]{"a", "b"}.swap()
	_ = pair[int]{1, 2}.swap()
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var pc uintptr
		fmt.Sscan(in.Text(), &pc)
		f, _ := runtime.CallersFrames([]uintptr{pc + 1}).Next()
		show(f)
	}
}
`

// tiny needs only the runtime, so that it cross-compiles quickly.
const tiny = `package main

//go:noinline
func double(s []int) (n int) {
	for _, v := range s {
		n += twice(v)
	}
	return n
}

func twice(n int) int { return n*n ^ 7 }

func main() { println(double(make([]int, 10))) }
`

// build compiles src and returns the binary's path. env and flags are those of go
// build; "--" separates them.
func build(t testing.TB, src string, args ...string) string {
	t.Helper()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), src)
	cmd := exec.Command(goTool, "build", "-o", "app.bin")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local")
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			cmd.Args = append(cmd.Args, a)
		} else {
			cmd.Env = append(cmd.Env, a)
		}
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return filepath.Join(dir, "app.bin")
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, path string) *Binary {
	t.Helper()
	b, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// A dumped is a function as printed by go tool objdump.
type dumped struct {
	name, file string
	insts      []dumpedInst
}

type dumpedInst struct {
	line       string // base name and number
	addr, text string
}

// objdump runs go tool objdump.
func objdump(t testing.TB, bin, re string) []dumped {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", "-s", re, bin).Output()
	if err != nil {
		t.Skipf("go tool objdump: %v", err)
	}
	var fns []dumped
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\t\n ")
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			name, file, _ := strings.Cut(rest, "(SB)")
			fns = append(fns, dumped{name: name, file: strings.TrimSpace(file)})
			continue
		}
		f := regexp.MustCompile(`\t+`).Split(strings.TrimLeft(line, " \t"), 4)
		if len(f) < 4 {
			continue
		}
		fn := &fns[len(fns)-1]
		fn.insts = append(fn.insts, dumpedInst{line: f[0], addr: f[1], text: f[3]})
	}
	return fns
}
