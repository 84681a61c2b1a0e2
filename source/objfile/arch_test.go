package objfile

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var packs = flag.Bool("packs", false, "rebuild the code packs of testdata with the local toolchain")

// testdata holds, for each architecture, a code pack of the program tiny and what
// go tool objdump printed of the binary that it was cut from.

func architectures() []string {
	return []string{"386", "amd64", "arm", "arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x"}
}

func goldenPacks(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.code.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no code packs in testdata: %v", err)
	}
	packs := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		packs[strings.TrimSuffix(filepath.Base(name), ".code.json")] = data
	}
	return packs
}

const goldenFunctions = `^(main\.|runtime\.(growslice|printint)$)`

func TestRebuildPacks(t *testing.T) {
	if !*packs {
		t.Skip("only with -packs")
	}
	for _, arch := range architectures() {
		bin := build(t, tiny, "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0", "-trimpath")
		data := pack(t, open(t, bin), goldenFunctions)
		write(t, "testdata/"+arch+".code.json", string(data))
		var text strings.Builder
		for _, f := range objdump(t, bin, goldenFunctions) {
			fmt.Fprintf(&text, "%s\t%s\n", f.name, f.file)
			for _, in := range f.insts {
				fmt.Fprintf(&text, "\t%s\t%s\t%s\n", in.addr, in.line, in.text)
			}
		}
		write(t, "testdata/"+arch+".objdump", text.String())
	}
}

func TestArchitectures(t *testing.T) {
	packs := goldenPacks(t)
	for _, arch := range architectures() {
		t.Run(arch, func(t *testing.T) {
			c, err := OpenCode(packs[arch])
			if err != nil {
				t.Fatal(err)
			}
			fns, err := Disasm(c, regexp.MustCompile("."), GoSyntax)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, f := range fns {
				fmt.Fprintf(&got, "%s\t%s\n", f.Name, f.File)
				for _, in := range f.Insts {
					fmt.Fprintf(&got, "\t%#x\t%s:%d\t%s\n", in.Addr, filepath.Base(in.File), in.Line,
						strings.TrimRight(in.Text, " \t"))
				}
			}
			want, err := os.ReadFile("testdata/" + arch + ".objdump")
			if err != nil {
				t.Fatal(err)
			}
			g, w := strings.Split(got.String(), "\n"), strings.Split(string(want), "\n")
			bad := 0
			for i := range max(len(g), len(w)) {
				if a, b := at(g, i), at(w, i); a != b && !sameLine(a, b) {
					if bad++; bad < 5 {
						t.Errorf("line %d:\n got %q\nwant %q", i+1, at(g, i), at(w, i))
					}
				}
			}
			checkInlined(t, c)
			for _, syntax := range []Syntax{GNUSyntax, IntelSyntax} {
				_, err := Disasm(c, regexp.MustCompile("."), syntax)
				if x86 := arch == "386" || arch == "amd64"; (err == nil) != (syntax == GNUSyntax || x86) {
					t.Errorf("syntax %d: %v", syntax, err)
				}
			}
		})
	}
}

// sameLine reports whether address, line and instruction are equal.
func sameLine(got, want string) bool {
	g, w := strings.Split(got, "\t"), strings.Split(want, "\t")
	return len(g) == 4 && len(w) == 4 && g[1] == w[1] && g[2] == w[2] && sameText(g[3], w[3])
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}
