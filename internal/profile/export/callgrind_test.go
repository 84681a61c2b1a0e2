package export

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

// A callgrindDump is a callgrind file with positions and names resolved.
type callgrindDump struct {
	Flat  map[string]int64 // "object|file|function|line"
	Calls map[string]int64 // caller "->" callee "file|function|line"
}

var compressed = regexp.MustCompile(`^\((\d+)\)(?: (.*))?$`)

// parseCallgrind parses the format as specified.
func parseCallgrind(t *testing.T, text string) callgrindDump {
	t.Helper()
	d := callgrindDump{make(map[string]int64), make(map[string]int64)}
	tables := map[string]map[string]string{"ob": {}, "fl": {}, "fn": {}}
	cur := make(map[string]string)
	line, target := "", ""
	for s := range strings.Lines(text) {
		s = strings.TrimSuffix(s, "\n")
		key, value, isName := strings.Cut(s, "=")
		switch {
		case s == "" || strings.HasPrefix(s, "#") || strings.Contains(strings.SplitN(s, " ", 2)[0], ":"):
		case isName && key == "calls":
			f := strings.Fields(value)
			target = fmt.Sprintf("%s|%s|%s", cur["cfl"], cur["cfn"], f[len(f)-1])
		case isName:
			table := tables[strings.TrimPrefix(key, "c")]
			if m := compressed.FindStringSubmatch(value); m != nil {
				if m[2] != "" {
					table[m[1]] = m[2]
				}
				value = table[m[1]]
			}
			cur[key] = value
		default:
			f := strings.Fields(s)
			if len(f) != 3 {
				t.Fatalf("not a cost line: %q", s)
			}
			cost, err := strconv.ParseInt(f[2], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if target != "" {
				d.Calls[fmt.Sprintf("%s|%s|%s -> %s", cur["fl"], cur["fn"], line, target)] += cost
				target = ""
				continue
			}
			line = f[1]
			d.Flat[fmt.Sprintf("%s|%s|%s|%s", cur["ob"], cur["fl"], cur["fn"], line)] += cost
		}
	}
	return d
}

func testCallgrindOracle(t *testing.T, file string, p *profile.Profile) {
	v := oracletest.Bind(t, p, profile.Query{By: profile.ByAddress})
	got := parseCallgrind(t, oracletest.WriteString(t, func(b *bytes.Buffer) error { return Callgrind(b, v, "") }))
	want := parseCallgrind(t, oracletest.RunPprof(t, "-callgrind", "-unit="+oracletest.SmallestUnit(t, v), file))
	// Code without symbols is one nameless function in callgrind, and one per address in the view.
	got, want = joinUnnamed(got), joinUnnamed(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go tool pprof +whet)\n%s", oracletest.ClipText(diff))
	}
	if len(got.Flat) == 0 {
		t.Error("no costs")
	}
}

var (
	unnamed  = regexp.MustCompile(`\|0x[0-9a-f]+\|`)
	numbered = regexp.MustCompile(` \[\d+/\d+\]\|`) // pprof tells equal names of callees apart
)

func joinUnnamed(d callgrindDump) callgrindDump {
	out := callgrindDump{make(map[string]int64), make(map[string]int64)}
	for k, v := range d.Flat {
		out.Flat[unnamed.ReplaceAllString(k, "||")] += v
	}
	for k, v := range d.Calls {
		out.Calls[numbered.ReplaceAllString(unnamed.ReplaceAllString(k, "||"), "|")] += v
	}
	return out
}

func TestCallgrind(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds",
		oracletest.Sample{Stack: "main.main:3 main.a:5 >lib.b:7", Values: []int64{10}},
		oracletest.Sample{Stack: "main.main:3 main.a:6", Values: []int64{4}},
	)
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error {
		return Callgrind(b, oracletest.Bind(t, p, profile.Query{By: profile.ByAddress}), "whet callgrind\ncpu")
	})
	const want = `# callgrind format
version: 1
creator: whet
cmd: whet callgrind cpu
positions: instr line
event: cpu : cpu (nanoseconds)
events: cpu

ob=(1) /bin/prog
fl=(1) /src/lib.go
fn=(1) lib.b
0x1010 7 10

ob=(1)
fl=(2) /src/main.go
fn=(2) main.a
* 5 0
cfl=(1)
cfn=(1)
calls=0 0x1010 7
* * 10
+16 6 4

ob=(1)
fl=(2)
fn=(3) main.main
-32 3 0
cfl=(2)
cfn=(2)
calls=0 0x1010 5
* * 10
cfl=(2)
cfn=(2)
calls=0 0x1020 6
* * 4
`
	if got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

func TestCallgrindRefusesNegative(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds", oracletest.Sample{Stack: "main.main", Values: []int64{-1}})
	err := Callgrind(new(bytes.Buffer), oracletest.Bind(t, p, profile.Query{By: profile.ByAddress}), "")
	if err == nil || !strings.Contains(err.Error(), "main.main /src/main.go:1 is -1") {
		t.Errorf("got %v", err)
	}
}

// TestCallgrindForeign has names with terminal control sequences.
func TestCallgrindForeign(t *testing.T) {
	t.Parallel()
	if got, want := callgrindClean("a\x1b[31m\n\u009bb\u202e\xff"), "a�[31m �b��"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
