package objfile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const cProgram = `
#include <stdio.h>

static int data[64];

static inline __attribute__((always_inline)) int deepest(int x) {
	return x * x + data[x & 63];
}

static inline __attribute__((always_inline)) int middle(int x) {
	int n = 0;
	for (int i = 0; i < x; i++) {
		n += deepest(i);
	}
	return n;
}

__attribute__((noinline)) int outer(int x) {
	return middle(x) ^ middle(x + 1);
}

int main(int argc, char **argv) {
	printf("%d\n", outer(argc));
	return 0;
}
`

func compileC(t testing.TB, flags ...string) string {
	t.Helper()
	cc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "main.c"), cProgram)
	cmd := exec.Command(cc, append(flags, "-O2", "-o", "app.bin", "main.c")...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "app.bin")
}

// The oracle for code that is not Go is binutils.
func TestDWARFAgainstAddr2line(t *testing.T) {
	tool, err := exec.LookPath("addr2line")
	if err != nil {
		t.Skip("no addr2line")
	}
	for _, flags := range [][]string{{"-g"}, {"-g", "-gdwarf-4"}, {"-g", "-gz"}, {"-g", "-no-pie"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			b := open(t, compileC(t, flags...))
			fns, err := Disasm(b, regexp.MustCompile(`^(outer|main)$`), GNUSyntax)
			if err != nil || len(fns) != 2 {
				t.Fatalf("%d functions, %v", len(fns), err)
			}
			deep := 0
			for _, f := range fns {
				for _, in := range f.Insts {
					out, err := exec.Command(tool, "-i", "-f", "-e", b.Name(), fmt.Sprintf("%#x", in.Addr)).Output()
					if err != nil {
						t.Fatal(err)
					}
					var got strings.Builder
					for _, fr := range in.Inline {
						line := fmt.Sprint(fr.Line)
						if fr.Line == 0 {
							line = "?"
						}
						fmt.Fprintf(&got, "%s\n%s:%s\n", fr.Func, fr.File, line)
					}
					want := regexp.MustCompile(` \(discriminator \d+\)`).ReplaceAllString(string(out), "")
					if got.String() != want {
						t.Errorf("%#x %s:\n got %q\nwant %q", in.Addr, in.Text, got.String(), want)
					}
					if len(in.Inline) == 3 {
						deep++
					}
				}
			}
			if deep == 0 {
				t.Error("no chain of two inlined calls")
			}
		})
	}
}

func TestForeignWithoutDWARF(t *testing.T) {
	b := open(t, compileC(t))
	fns, err := Disasm(b, regexp.MustCompile(`^outer$`), GoSyntax)
	if err != nil || len(fns) != 1 {
		t.Fatalf("%d functions, %v", len(fns), err)
	}
	if fr := fns[0].Insts[3].Inline; len(fr) != 1 || fr[0].Func != "outer" || fr[0].Line != 0 {
		t.Errorf("%+v", fr)
	}
	if _, err := b.BuildInfo(); err == nil {
		t.Error("build info of a C program")
	}
	if b.HasGoLines() || b.GoBuildID() != "" {
		t.Error("taken for a Go program")
	}
}

// A Go program with C in it, linked by the C linker: runtime.text is not where the
// code begins.
func TestCgo(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil || testing.Short() {
		t.Skip("no C compiler, or -short")
	}
	src := strings.Replace(program, "import (", "// static int twice(int x) { return 2*x; }\nimport \"C\"\n\nimport (", 1)
	src = strings.Replace(src, "_ = pair[string]", "_ = C.twice(2)\n\t_ = pair[string]", 1)
	for _, flags := range [][]string{nil, {"-ldflags=-s -w"}, {"-buildmode=pie", "-ldflags=-s -w"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			b := open(t, build(t, src, append(flags, "CGO_ENABLED=1")...))
			if base := checkChain(t, b); base == 0 && len(flags) == 0 {
				checkInnermost(t, b)
			}
		})
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	for text, want := range map[string]string{
		"":                     "read magic",
		"hello, world":         "not an ELF, Mach-O or PE file",
		"\x7fELF":              "read ELF header",
		"MZ\x00\x00":           "read PE header",
		"\xcf\xfa\xed\xfe":     "read Mach-O header",
		"\xca\xfe\xba\xbe\x00": "read universal Mach-O header",
	} {
		write(t, name, text)
		if _, err := Open(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil {
		t.Error("no error for a missing file")
	}
}

// Every prefix and every flipped byte of a real program's headers and tables has to
// end in an error or an answer, never in a panic.
func TestDamagedBinaries(t *testing.T) {
	data, err := os.ReadFile(build(t, tiny))
	if err != nil {
		t.Fatal(err)
	}
	// On a busy machine it tries fewer; other machines try the rest.
	end := time.Now().Add(time.Minute)
	tries := 0
	try := func(d []byte) {
		if tries++; tries > 20 && time.Now().After(end) {
			return
		}
		b, err := NewBinary("damaged", bytes.NewReader(d), int64(len(d)))
		if err != nil {
			return
		}
		exercise(b)
		_ = b.GoBuildID()
		_, _ = b.BuildInfo()
	}
	for n := 0; n < len(data); n += len(data)/40 + 1 {
		try(data[:n])
	}
	flipped := bytes.Clone(data)
	for i := 0; i < len(data); {
		flipped[i] ^= 0xff
		try(flipped)
		flipped[i] = data[i]
		if i < 64 {
			i += 3
		} else {
			i += len(data)/100 + 1
		}
	}
}

// smallBinaries are programs of each format, small enough to mutate.
func smallBinaries(f *testing.F) [][]byte {
	var out [][]byte
	for _, target := range []string{"linux/amd64", "darwin/arm64", "windows/amd64"} {
		goos, arch, _ := strings.Cut(target, "/")
		data, err := os.ReadFile(build(f, tiny, "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0", "-ldflags=-s -w"))
		if err != nil {
			f.Fatal(err)
		}
		out = append(out, data[:min(len(data), 64<<10)])
	}
	return out
}

func FuzzBinary(f *testing.F) {
	if !testing.Short() {
		for _, data := range smallBinaries(f) {
			f.Add(data)
		}
	}
	f.Add([]byte("\x7fELF\x02\x01\x01"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		b, err := NewBinary("fuzz", bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		exercise(b)
		_ = b.GoBuildID()
		_, _ = b.BuildInfo()
	})
}

// The function table itself, which the section headers above rarely lead to.
func FuzzPclntab(f *testing.F) {
	b := open(f, build(f, tiny))
	data, _, err := pclntabBytes(b.image, 0, 0)
	if err != nil || data == nil {
		f.Fatal(err)
	}
	text := b.section(".text").addr
	f.Add(data, text)
	f.Fuzz(func(_ *testing.T, data []byte, text uint64) {
		tab, err := newPclntab(data, text)
		if err != nil {
			return
		}
		tab.inline = func(off, n uint32) []byte {
			if uint64(off)+uint64(n) > uint64(len(data)) {
				return nil
			}
			return data[off : off+n]
		}
		for i := range min(tab.nfunc, 50) {
			_, _ = tab.frames(tab.entry(i))
			_, _ = tab.frames(tab.entry(i) + 7)
		}
		_, _ = tab.functions(func(uint64) bool { return true })
	})
}
