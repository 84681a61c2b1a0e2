package objfile

import (
	"fmt"
	"os/exec"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	place    = regexp.MustCompile(`[^ $,(]+\(SB\)|-?\d+\(PC\)|0x[0-9a-f]+(\(IP\))?`)
	brackets = regexp.MustCompile(`\[.*\]`)
)

// sameText reports whether instructions are equal, except for known differences between this
// disassembler and the toolchain's.
func sameText(got, want string) bool {
	op, _, _ := strings.Cut(got, " ")
	switch {
	case got == want:
		return true
	case strings.HasPrefix(op, "V"):
		// Older disassemblers do not know all of AVX: they get registers wrong.
		return strings.HasPrefix(want, op)
	case strings.Contains(got, "(SB)") && (strings.HasPrefix(op, "LEA") || op == "MOVD"), strings.Contains(want, "(PC)"):
		// Where the marker of a section shares its address with a symbol, either may be picked; a
		// marker without a size is written as a number. Jumps are relative in older versions.
		return place.ReplaceAllString(got, "@") == place.ReplaceAllString(want, "@")
	}
	return false
}

// compareObjdump checks instructions and lines against go tool objdump.
func compareObjdump(t *testing.T, b *Binary, re string) {
	t.Helper()
	want := objdump(t, b.Name(), re)
	got, err := Disasm(b, regexp.MustCompile(re), GoSyntax)
	if err != nil {
		t.Fatal(err)
	}
	var has []FuncCode
	for _, f := range got {
		if len(f.Insts) > 0 {
			has = append(has, f)
		}
	}
	if len(has) != len(want) || len(want) == 0 {
		t.Fatalf("%d functions match %s, objdump prints %d", len(has), re, len(want))
	}
	insts, bad := 0, 0
	for i, f := range has {
		for w := &want[i]; b.Format() == "PE" && len(w.insts) > len(f.Insts) && w.insts[len(w.insts)-1].text == "INT $0x3"; {
			w.insts = w.insts[:len(w.insts)-1] // padding
		}
		if f.Name != want[i].name || len(f.Insts) != len(want[i].insts) {
			t.Fatalf("function %d: %s with %d instructions, want %s with %d", i, f.Name, len(f.Insts),
				want[i].name, len(want[i].insts))
		}
		for j, in := range f.Insts {
			g := dumpedInst{
				fmt.Sprintf("%s:%d", path.Base(strings.ReplaceAll(in.File, `\`, "/")), in.Line), fmt.Sprintf("%#x", in.Addr),
				strings.TrimRight(in.Text, "\t "),
			}
			if in.File == "" {
				g.line = ":" + strconv.Itoa(in.Line)
			}
			insts++
			w := want[i].insts[j]
			if sameText(g.text, w.text) {
				g.text = w.text
			}
			if j > 0 && f.Insts[j-1].Text == "VZEROUPPER" && g.addr != w.addr && len(f.Insts) > j+1 {
				// Go 1.27's objdump takes the prefix of the next instruction for a part of
				// VZEROUPPER. The instruction after that is correct again, or the comparison fails
				// there.
				continue
			}
			if g != w {
				if bad++; bad < 10 {
					t.Errorf("%s: got %q, want %q", f.Name, g, want[i].insts[j])
				}
			}
		}
	}
	t.Logf("%d functions, %d instructions, %d differ", len(has), insts, bad)
}

func TestDisasmAgainstObjdump(t *testing.T) {
	b := open(t, build(t, program))
	compareObjdump(t, b, `^(main\.|runtime\.(mallocgc|gcDrain|memmove|scanobject)|strconv|fmt\.\(\*pp\))`)
	compareObjdump(t, open(t, build(t, program, "-buildmode=pie")), `^(main\.|fmt\.\(\*pp\))`)
}

func TestDisasmOtherFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the runtime for other systems")
	}
	for _, target := range []string{"windows/amd64", "darwin/arm64", "linux/386"} {
		t.Run(target, func(t *testing.T) {
			goos, arch, _ := strings.Cut(target, "/")
			b := open(t, build(t, tiny, "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0"))
			compareObjdump(t, b, `^(main\.|runtime\.(mallocgc|gcDrain|memmove))`)
			if b.GoBuildID() == "" {
				t.Error("no Go build id")
			}
			s := open(t, build(t, tiny, "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "-ldflags=-s -w"))
			checkInlined(t, s)
		})
	}
}

// checkInlined looks for the inlined call in tiny's loop.
func checkInlined(t *testing.T, m Machine) {
	t.Helper()
	fns, err := Disasm(m, regexp.MustCompile(`^main\.double$`), GoSyntax)
	if err != nil || len(fns) != 1 {
		t.Fatalf("%d functions, %v", len(fns), err)
	}
	found := false
	for _, in := range fns[0].Insts {
		if len(in.Inline) == 2 && in.Inline[0].Func == "main.twice" && in.Inline[1].Func == "main.double" {
			found = true
			if in.Line != 11 || in.Inline[1].Line != 6 || in.Inline[0].StartLine != 11 || in.Inline[1].StartLine != 4 ||
				!in.Inline[0].Inlined || in.Inline[1].Inlined {
				t.Errorf("inlined call: %+v", in.Inline)
			}
		}
	}
	if !found {
		t.Error("no inlined call of main.twice")
	}
}

// The runtime of the program itself is the oracle for lines and inlined calls.
func TestFramesAgainstRuntime(t *testing.T) {
	for _, flags := range [][]string{
		nil, {"-ldflags=-s -w"}, {"-buildmode=pie"}, {"-buildmode=pie", "-ldflags=-s -w"}, {"-trimpath"},
	} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			b := open(t, build(t, program, flags...))
			base := checkChain(t, b)
			if base != 0 {
				return // addresses of the next run would be others
			}
			checkInnermost(t, b)
		})
	}
}

// checkChain compares the calls around one address with what runtime.Callers
// found there, and returns where the program was loaded.
func checkChain(t *testing.T, b *Binary) uint64 {
	t.Helper()
	out, err := exec.Command(b.Name(), "base").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 5 {
		t.Skipf("no /proc/self/maps:\n%s", out)
	}
	var start, limit, offset uint64
	if _, err := fmt.Sscanf(lines[0], "%x-%x r-xp %x", &start, &limit, &offset); err != nil {
		t.Fatal(err)
	}
	base, err := b.Base(start, limit, offset)
	if err != nil {
		t.Fatal(err)
	}
	pc, err := strconv.ParseUint(lines[1], 0, 64)
	if err != nil {
		t.Fatal(err)
	}
	frames, err := b.Frames(pc - base)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range frames {
		got = append(got, fmt.Sprintf("%s\t%s\t%d", f.Func, f.File, f.Line))
	}
	if want := lines[2:5]; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("frames of %#x (base %#x):\n got %q\nwant %q", pc, base, got, want)
	}
	return base
}

func checkInnermost(t *testing.T, b *Binary) {
	t.Helper()
	fns, err := b.Functions()
	if err != nil {
		t.Fatal(err)
	}
	var addrs []uint64
	for i, f := range fns {
		for a := f.Addr + uint64(i)%5; a < f.Addr+f.Size; a += 61 {
			// The runtime takes the first byte of a function for a return address, so the test passes a+1.
			if a > f.Addr && a+1 < f.Addr+f.Size {
				addrs = append(addrs, a)
			}
		}
	}
	var in strings.Builder
	for _, a := range addrs {
		fmt.Fprintln(&in, a)
	}
	cmd := exec.Command(b.Name())
	cmd.Stdin = strings.NewReader(in.String())
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(addrs) {
		t.Fatalf("%d answers to %d addresses", len(lines), len(addrs))
	}
	bad, inlined := 0, 0
	for i, a := range addrs {
		frames, err := b.Frames(a)
		if err != nil {
			t.Fatal(err)
		}
		f := frames[0]
		if len(frames) > 1 {
			inlined++
		}
		if lines[i] == "\t\t0" && f.Func != "" {
			continue // C code, which the runtime does not know
		}
		// The runtime prints type arguments as "[...]", nothing for the very first name of the table, and
		// "?" for the file of a marker such as go:textfipsstart.
		lines[i] = strings.Replace(lines[i], "\t?\t0", "\t\t0", 1)
		name := brackets.ReplaceAllString(f.Func, "[...]")
		if strings.HasPrefix(lines[i], "\t") {
			name = ""
		}
		if got := fmt.Sprintf("%s\t%s\t%d", name, f.File, f.Line); got != lines[i] {
			if bad++; bad < 10 {
				t.Errorf("%#x: got %q, want %q", a, got, lines[i])
			}
		}
	}
	if inlined < len(addrs)/20 {
		t.Errorf("only %d of %d addresses are in inlined calls", inlined, len(addrs))
	}
	t.Logf("%d addresses, %d in inlined calls, %d differ", len(addrs), inlined, bad)
}

func TestIdentity(t *testing.T) {
	bin := build(t, program)
	b := open(t, bin)
	want, err := exec.Command("go", "tool", "buildid", bin).Output()
	if err != nil {
		t.Skip(err)
	}
	if got := b.GoBuildID(); got != strings.TrimSpace(string(want)) {
		t.Errorf("Go build id %q, want %q", got, want)
	}
	if b.BuildID() == "" || b.Format() != "ELF" {
		t.Errorf("build id %q, format %s", b.BuildID(), b.Format())
	}
	bi, err := b.BuildInfo()
	if err != nil || bi.Main.Path != "example.com/app" {
		t.Errorf("build info %+v, %v", bi, err)
	}
	if !b.HasGoLines() {
		t.Error("no Go lines")
	}
}
