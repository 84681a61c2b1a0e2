package objfile

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// pack extracts the functions of b whose names match re.
func pack(t testing.TB, b *Binary, re string) []byte {
	t.Helper()
	fns, err := b.Functions()
	if err != nil {
		t.Fatal(err)
	}
	var addrs []uint64
	for _, f := range fns {
		if f.Size > 0 && regexp.MustCompile(re).MatchString(f.Name) {
			addrs = append(addrs, f.Addr+f.Size/2)
		}
	}
	data, err := ExtractCode(b, addrs)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCodeIsTheBinary(t *testing.T) {
	for _, flags := range [][]string{nil, {"-buildmode=pie", "-ldflags=-s -w"}} {
		b := open(t, build(t, program, flags...))
		const re = `^(main\.|runtime\.mallocgc$|fmt\.Sscan)`
		data := pack(t, b, re)
		c, err := OpenCode(data)
		if err != nil {
			t.Fatal(err)
		}
		if c.Arch() != b.Arch() || c.BuildID() != b.BuildID() {
			t.Errorf("%s %s, want %s %s", c.Arch(), c.BuildID(), b.Arch(), b.BuildID())
		}
		for _, syntax := range []Syntax{GoSyntax, GNUSyntax, IntelSyntax} {
			got, err := Disasm(c, regexp.MustCompile(re), syntax)
			if err != nil {
				t.Fatal(err)
			}
			want, err := Disasm(b, regexp.MustCompile(re), syntax)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) < 5 {
				t.Fatalf("only %d functions", len(got))
			}
			if syntax == GoSyntax && !reflect.DeepEqual(got, want) {
				t.Errorf("%v: the pack's disassembly differs from the binary's", flags)
			}
			if len(got) != len(want) {
				t.Errorf("%d functions, want %d", len(got), len(want))
			}
		}
		for _, m := range [][3]uint64{{0x555555554000, 0x555555600000, 0}, {0x400000, 0x500000, 0}, {0, 0, 0}} {
			got, gerr := c.Base(m[0], m[1], m[2])
			want, werr := b.Base(m[0], m[1], m[2])
			if got != want || (gerr == nil) != (werr == nil) {
				t.Errorf("base of %x: %#x, %v; want %#x, %v", m, got, gerr, want, werr)
			}
		}
		again, err := ExtractCode(c, []uint64{c.file.Funcs[0].Start, c.file.Funcs[1].Start})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenCode(again); err != nil {
			t.Error(err)
		}
		code := 0
		for _, f := range c.file.Funcs {
			code += len(f.Code)
		}
		t.Logf("%d bytes for %d functions with %d bytes of code", len(data), len(c.file.Funcs), code)
	}
}

func TestDisasmWindow(t *testing.T) {
	b := open(t, build(t, program))
	fns, err := Disasm(b, regexp.MustCompile(`^main\.middle$|^main\.outer$|^main\.main$`), GoSyntax)
	if err != nil || len(fns) < 2 {
		t.Fatalf("%d functions, %v", len(fns), err)
	}
	for _, f := range fns {
		// One byte into the second instruction: the third is the first to begin there.
		start, end := f.Insts[1].Addr+1, f.Addr+f.Size+40
		got, err := DisasmWindow(b, start, end, GoSyntax)
		if err != nil {
			t.Fatal(err)
		}
		if f.Insts[1].Size > 1 && !reflect.DeepEqual(got[:len(f.Insts)-2], f.Insts[2:]) {
			t.Errorf("%s: window differs", f.Name)
		}
		if last := got[len(got)-1]; last.Addr >= end || last.Addr < f.Addr+f.Size {
			t.Errorf("%s: window ends at %#x", f.Name, last.Addr)
		}
	}
	if _, err := DisasmWindow(b, 8, 64, GoSyntax); err == nil {
		t.Error("no error outside the code")
	}
}

func TestOpenCodeErrors(t *testing.T) {
	good := func() codeFile {
		return codeFile{
			Format: codeFormat, Arch: "amd64", Strings: []string{"f", "f.go"},
			Frames: []codeFrame{{Func: 0, File: 1, Line: 3}}, Chains: [][]int{{0}},
			Funcs: []codeFunc{{Name: 0, Start: 16, Code: []byte{0x90, 0xc3}, Lines: []int{0, 0}}},
		}
	}
	for want, damage := range map[string]func(*codeFile){
		`format "x"`:    func(f *codeFile) { f.Format = "x" },
		"no string 7":   func(f *codeFile) { f.Frames[0].File = 7 },
		"no string -1":  func(f *codeFile) { f.Funcs[0].Name = -1 },
		"no frame 4":    func(f *codeFile) { f.Chains[0][0] = 4 },
		"no chain 2":    func(f *codeFile) { f.Funcs[0].Lines[1] = 2 },
		"odd line":      func(f *codeFile) { f.Funcs[0].Lines = []int{0} },
		"not in order":  func(f *codeFile) { f.Funcs[0].Lines = []int{1, 0, 1, 0} },
		"overlaps":      func(f *codeFile) { f.Funcs = append(f.Funcs, f.Funcs[0]) },
		"no string 900": func(f *codeFile) { f.Targets = []codeSym{{Name: 900}} },
	} {
		f := good()
		damage(&f)
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenCode(data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	data, _ := json.Marshal(good())
	c, err := OpenCode(data)
	if err != nil {
		t.Fatal(err)
	}
	if fr, err := c.Frames(17); err != nil || fr[0].Line != 3 {
		t.Errorf("%v, %v", fr, err)
	}
	if _, err := c.Bytes(16, 19); err == nil {
		t.Error("no error past the end of a function")
	}
	if _, err := OpenCode(data[:len(data)-9]); err == nil || !strings.Contains(err.Error(), "byte ") {
		t.Errorf("truncated: %v", err)
	}
}

// exercise calls everything that reads foreign bytes.
func exercise(m Machine) {
	fns, _ := m.Functions()
	for i, f := range fns {
		if i == 20 {
			break
		}
		_, _ = DisasmRange(m, f.Addr, f.Addr+min(f.Size, 256), GoSyntax)
		_, _ = DisasmWindow(m, f.Addr+1, f.Addr+64, GoSyntax)
		_, _ = m.Frames(f.Addr)
		_, _ = m.Frames(f.Addr + f.Size)
		_, _ = m.Symbol(f.Addr + 1)
	}
	for _, a := range []uint64{0, 1, 0x401000, 1 << 63, ^uint64(0)} {
		_, _ = m.Frames(a)
		_, _ = m.Symbol(a)
		_, _ = m.Bytes(a, a+16)
	}
	_, _ = m.Base(0x400000, 0x500000, 0x1000)
}

func FuzzOpenCode(f *testing.F) {
	for _, data := range goldenPacks(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := OpenCode(data)
		if err != nil {
			return
		}
		exercise(c)
		// Accepted code can be packed again.
		var addrs []uint64
		for _, fn := range c.file.Funcs {
			addrs = append(addrs, fn.Start)
		}
		again, err := ExtractCode(c, addrs)
		if err != nil {
			return // no disassembler for the architecture
		}
		c2, err := OpenCode(again)
		if err != nil {
			t.Fatalf("packed again: %v", err)
		}
		for i, fn := range c2.file.Funcs {
			want, err := c.Bytes(fn.Start, fn.Start+uint64(len(fn.Code)))
			if err != nil || !bytes.Equal(fn.Code, want) {
				t.Fatalf("function %d differs: %v", i, err)
			}
		}
	})
}
