package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	gprofile "github.com/google/pprof/profile"

	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// pprofTool is the path of go tool pprof's binary.
var pprofTool = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "tool", "-n", "pprof").Output()
	return strings.TrimSpace(string(out)), err
})

// pprof runs go tool pprof and returns what it writes. sources are the contents
// of the files that args name as @NAME (or -flag=@NAME).
func pprof(tb testing.TB, sources map[string][]byte, args ...string) string {
	tb.Helper()
	tool, err := pprofTool()
	if err != nil {
		tb.Skipf("no go tool pprof: %v", err)
	}
	dir := tb.TempDir()
	for name, data := range sources {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "-symbolize=none")
	for _, a := range args {
		cmd.Args = append(cmd.Args, strings.Replace(a, "@", dir+"/", 1))
	}
	// Without the user's settings, binaries and source.
	cmd.Env = []string{"HOME=" + dir, "PPROF_TMPDIR=" + dir, "PPROF_BINARY_PATH=" + dir}
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("pprof %q: %v\n%s", args, err, &stderr)
	}
	return string(out)
}

// corpus returns real profiles by name: the test data of google/pprof (legacy formats included),
// the compiler's own PGO profile, those of ../../shared if it exists, and generated ones.
func corpus(tb testing.TB) map[string][]byte {
	tb.Helper()
	files := map[string][]byte{}
	add := func(glob string) int {
		names, err := filepath.Glob(glob)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, ".string") {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			files[filepath.Base(name)] = data
		}
		return len(names)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	if add(filepath.Join(strings.TrimSpace(string(goroot)), "src/cmd/compile/default.pgo")) == 0 {
		tb.Log("no default.pgo in GOROOT")
	}
	add("testdata/*.pb.gz")
	shared := os.Getenv("WHET_SHARED")
	if shared == "" {
		shared = "../../shared"
	}
	add(filepath.Join(shared, "corpus/profiles/*"))
	files["generated"] = encoded(tb, profiletest.Options{Inlines: true, Labels: true})
	files["generated.heap"] = encoded(tb, profiletest.Options{Seed: 2, Heap: true, Labels: true, Leave: 0.5})
	files["generated.deep"] = encoded(tb, profiletest.Options{
		Seed: 3, Functions: 12, Lines: 40, MinDepth: 1, MaxDepth: 90, Leave: 0.9, Inlines: true,
	})
	return files
}

// row is one line of -top.
type row struct {
	name      string
	flat, cum int64
}

var (
	topTotal = regexp.MustCompile(`(?m)^Showing nodes accounting for .* of (-?\d+)\w* total$`)
	topRow   = regexp.MustCompile(`(?m)^ *(-?\d+)[a-zA-Z]* +\S+ +\S+ +(-?\d+)[a-zA-Z]* +\S+  ?(.*)$`)
)

func atoi(tb testing.TB, s string) int64 {
	tb.Helper()
	x, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return x
}

// pprofTop returns pprof's rows and total, unrounded.
func pprofTop(tb testing.TB, sources map[string][]byte, unit string, args ...string) ([]row, int64) {
	tb.Helper()
	out := pprof(tb, sources,
		append([]string{"-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-trim=false", "-unit=" + unit},
			args...)...)
	var rows []row
	for _, m := range topRow.FindAllStringSubmatch(out, -1) {
		name := strings.TrimSuffix(strings.TrimSuffix(m[3], " (inline)"), " (partial-inline)")
		rows = append(rows, row{name, atoi(tb, m[1]), atoi(tb, m[2])})
	}
	m := topTotal.FindStringSubmatch(out)
	if m == nil {
		return rows, -1 // an empty report has no such line
	}
	return rows, atoi(tb, m[1])
}

// printable names a node as pprof does.
func printable(n profile.Node, by profile.By) string {
	var parts []string
	if n.Address != 0 {
		parts = append(parts, fmt.Sprintf("%016x", n.Address))
	}
	if n.Name != "" {
		parts = append(parts, n.Name)
	}
	switch {
	case by == profile.ByFunction && n.Name != "":
	case n.Line != 0:
		parts = append(parts, fmt.Sprintf("%s:%d", n.File, n.Line))
	case n.File != "":
		parts = append(parts, n.File)
	case n.Name != "":
	case n.Object != "":
		parts = append(parts, "["+path.Base(n.Object)+"]")
	default:
		parts = append(parts, "<unknown>")
	}
	return strings.Join(parts, " ")
}

func ourTop(v *profile.View) []row {
	var rows []row
	for _, w := range v.Nodes(false) {
		rows = append(rows, row{printable(w.Node, v.Query().By), w.Flat, w.Cum})
	}
	return rows
}

// sameRows compares rows in any order. pprof leaves out nodes that it formats as 0 in both columns.
func sameRows(t *testing.T, got, want []row) {
	t.Helper()
	order := func(a, b row) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	clean := func(rows []row) []row {
		rows = slices.DeleteFunc(rows, func(r row) bool { return r.flat == 0 && r.cum == 0 })
		slices.SortFunc(rows, order)
		return rows
	}
	got, want = clean(got), clean(want)
	if slices.Equal(got, want) {
		return
	}
	t.Errorf("%d rows, pprof has %d", len(got), len(want))
	shown := 0
	for _, r := range got {
		if _, ok := slices.BinarySearchFunc(want, r, order); !ok && shown < 8 {
			t.Errorf("only ours:  %+v", r)
			shown++
		}
	}
	for _, r := range want {
		if _, ok := slices.BinarySearchFunc(got, r, order); !ok && shown < 16 {
			t.Errorf("only pprof: %+v", r)
			shown++
		}
	}
}

// TestTopEqualsPprof compares flat, cum and total with pprof's on every profile
// of the corpus, for every sample type, granularity and filter.
func TestTopEqualsPprof(t *testing.T) {
	re := regexp.MustCompile
	cases := []struct {
		name string
		args []string
		q    profile.Query
	}{
		{"functions", nil, profile.Query{}},
		{"lines", []string{"-lines"}, profile.Query{By: profile.ByLine}},
		{"addresses", []string{"-addresses"}, profile.Query{By: profile.ByAddress}},
		{"noinlines", []string{"-noinlines"}, profile.Query{NoInlines: true}},
		{"lines,noinlines", []string{"-lines", "-noinlines"}, profile.Query{By: profile.ByLine, NoInlines: true}},
		{"focus", []string{"-focus=[mM]alloc|gc|http|method1"}, profile.Query{Focus: re("[mM]alloc|gc|http|method1")}},
		{"ignore", []string{"-ignore=runtime|libc"}, profile.Query{Ignore: re("runtime|libc")}},
		{"hide", []string{"-hide=runtime|method3|[sS]tring"}, profile.Query{Hide: re("runtime|method3|[sS]tring")}},
		{"show", []string{"-show=runtime|method[12]|java"}, profile.Query{Show: re("runtime|method[12]|java")}},
		{"show_from", []string{"-show_from=method1|main|ssa"}, profile.Query{ShowFrom: re("method1|main|ssa")}},
		{
			"all filters",
			[]string{"-focus=method", "-ignore=method17", "-hide=store", "-show_from=json", "-lines"},
			profile.Query{
				By: profile.ByLine, Focus: re("method"), Ignore: re("method17"), Hide: re("store"), ShowFrom: re("json"),
			},
		},
		{
			"hide,noinlines",
			[]string{"-hide=http", "-noinlines", "-lines"},
			profile.Query{By: profile.ByLine, Hide: re("http"), NoInlines: true},
		},
		{"tagfocus", []string{"-tagfocus=endpoint=/v1/[12]"}, profile.Query{TagFocus: "endpoint=/v1/[12]"}},
		{"tagfocus any", []string{"-tagfocus=/v1/3,endpoint"}, profile.Query{TagFocus: "/v1/3,endpoint"}},
		{"tagignore", []string{"-tagignore=endpoint=1,2"}, profile.Query{TagIgnore: "endpoint=1,2"}},
		{"tag range", []string{"-tagfocus=bytes=64b:1kb"}, profile.Query{TagFocus: "bytes=64b:1kb"}},
		{"tag from", []string{"-tagfocus=1kb:"}, profile.Query{TagFocus: "1kb:"}},
		{"tag upto", []string{"-tagignore=:256b"}, profile.Query{TagIgnore: ":256b"}},
		{
			"prune_from",
			[]string{"-prune_from=method1|malloc|gc|main|ssa"},
			profile.Query{PruneFrom: re("method1|malloc|gc|main|ssa")},
		},
		{
			"prune_from,lines",
			[]string{"-prune_from=method1|growslice|main", "-lines"},
			profile.Query{By: profile.ByLine, PruneFrom: re("method1|growslice|main")},
		},
		{
			"prune_from and filters",
			[]string{
				"-prune_from=method1|malloc", "-hide=method17", "-show_from=json|main",
				"-focus=method1|main", "-noinlines",
			},
			profile.Query{
				PruneFrom: re("method1|malloc"), Hide: re("method17"), ShowFrom: re("json|main"),
				Focus: re("method1|main"), NoInlines: true,
			},
		},
		{"mean", []string{"-mean"}, profile.Query{Mean: true}},
		{
			"mean and filters",
			[]string{"-mean", "-focus=method1|malloc|main", "-hide=store", "-lines"},
			profile.Query{By: profile.ByLine, Mean: true, Focus: re("method1|malloc|main"), Hide: re("store")},
		},
		{
			"relative",
			[]string{"-focus=method1|gc", "-relative_percentages"},
			profile.Query{Focus: re("method1|gc"), Relative: true},
		},
	}
	var compared atomic.Int64
	t.Cleanup(func() { t.Logf("%d rows compared", compared.Load()) })
	for name, data := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := parsed(t, data)
			for i, typ := range p.SampleTypes {
				for _, c := range cases {
					if i > 0 && c.name != "functions" && c.name != "all filters" && !c.q.Mean {
						continue
					}
					t.Run(typ.Type+"/"+c.name, func(t *testing.T) {
						args := append([]string{"-sample_index=" + strconv.Itoa(i)}, c.args...)
						want, total := pprofTop(t, map[string][]byte{"p": data}, typ.Unit, append(args, "@p")...)
						c.q.Type = i
						v := view(t, p, c.q)
						sameRows(t, ourTop(v), want)
						if total >= 0 && total != v.Total() {
							t.Errorf("total %d, pprof has %d", v.Total(), total)
						}
						compared.Add(int64(len(want)))
						if c.name == "functions" && len(want) == 0 && v.Total() != 0 {
							t.Error("pprof's rows were not understood")
						}
					})
				}
			}
		})
	}
}

// TestLabelFramesEqualPprof compares -tagroot and -tagleaf. pprof leaves the name of a missing
// label empty: by line its node has only the key.
func TestLabelFramesEqualPprof(t *testing.T) {
	missing := regexp.MustCompile(`^\(no \w+\) ?(\w*)$`)
	compared, named := 0, 0
	for name, data := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			p := parsed(t, data)
			if !p.HasLabels() {
				t.Skip("no labels")
			}
			typ := p.SampleTypes[0]
			for _, c := range []struct {
				args          []string
				roots, leaves []string
				q             profile.Query
			}{
				{[]string{"-tagroot=endpoint"}, []string{"endpoint"}, nil, profile.Query{}},
				{[]string{"-tagleaf=bytes"}, nil, []string{"bytes"}, profile.Query{}},
				{
					[]string{"-tagroot=endpoint,bytes", "-tagleaf=bytes,endpoint"},
					[]string{"endpoint", "bytes"},
					[]string{"bytes", "endpoint"},
					profile.Query{},
				},
				{
					[]string{"-tagroot=endpoint", "-tagleaf=bytes", "-focus=/v1/[12]|kB|128", "-hide=method3|^runtime", "-lines"},
					[]string{"endpoint"},
					[]string{"bytes"},
					profile.Query{
						By: profile.ByLine, Focus: regexp.MustCompile("/v1/[12]|kB|128"), Hide: regexp.MustCompile("method3|^runtime"),
					},
				},
			} {
				want, total := pprofTop(t, map[string][]byte{"p": data}, typ.Unit,
					append(append([]string{"-sample_index=0"}, c.args...), "@p")...)
				framed, _, err := p.LabelFrames(c.roots, c.leaves, typ.Unit)
				if err != nil {
					t.Fatal(err)
				}
				v := view(t, framed, c.q)
				got := ourTop(v)
				for i := range got {
					got[i].name = missing.ReplaceAllString(got[i].name, "$1")
				}
				if c.q.By == profile.ByFunction { // pprof has all that has no name in one row
					nameless := func(r row) bool { return r.name == "" || r.name == "<unknown>" }
					got, want = slices.DeleteFunc(got, nameless), slices.DeleteFunc(want, nameless)
				}
				sameRows(t, got, want)
				if total >= 0 && total != v.Total() {
					t.Errorf("%q: total %d, pprof has %d", c.args, v.Total(), total)
				}
				compared += len(want)
				for _, r := range want {
					if strings.HasPrefix(r.name, "/v1/") || r.name == "128" {
						named++
					}
				}
			}
		})
	}
	if t.Logf("%d rows compared, %d of labels", compared, named); named == 0 {
		t.Error("pprof's rows have no labels")
	}
}

// TestFilesEqualPprof compares by file. Where functions have start lines, pprof splits a file's
// node by them, so the test removes them.
func TestFilesEqualPprof(t *testing.T) {
	for name, data := range corpus(t) {
		t.Run(name, func(t *testing.T) {
			g, err := gprofile.ParseData(data)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range g.Function {
				f.StartLine = 0
			}
			var b bytes.Buffer
			if err := g.Write(&b); err != nil {
				t.Fatal(err)
			}
			p := parsed(t, data)
			typ := p.SampleTypes[0]
			want, _ := pprofTop(t, map[string][]byte{"p": b.Bytes()}, typ.Unit, "-sample_index=0", "-files", "@p")
			sameRows(t, ourTop(view(t, p, profile.Query{By: profile.ByFile})), want)
		})
	}
}

// TestDiffEqualsPprof compares -base and -diff_base, normalized or not.
func TestDiffEqualsPprof(t *testing.T) {
	files := corpus(t)
	other := encoded(t, profiletest.Options{Seed: 0, Samples: 700, Inlines: true, Labels: true, Leave: 0.2})
	pairs := [][2][]byte{
		{files["generated"], other},
		{other, files["generated"]},
		{files["generated"], files["generated"]},
	}
	for i, pair := range pairs {
		a, b := parsed(t, pair[0]), parsed(t, pair[1])
		for _, c := range []struct {
			flag      string
			normalize bool
		}{{"-base", false}, {"-base", true}, {"-diff_base", false}, {"-diff_base", true}} {
			t.Run(fmt.Sprintf("pair=%d%s,normalize=%v", i, c.flag, c.normalize), func(t *testing.T) {
				args := []string{"-sample_index=1", c.flag + "=@b"}
				if c.normalize {
					args = append(args, "-normalize")
				}
				want, total := pprofTop(t, map[string][]byte{"a": pair[0], "b": pair[1]}, "nanoseconds", append(args, "@a")...)
				diff := profile.Subtract
				if c.flag == "-diff_base" {
					diff = profile.DiffBase
				}
				d, err := diff(a, b, c.normalize)
				if err != nil {
					t.Fatal(err)
				}
				v := view(t, d, profile.Query{Type: 1})
				sameRows(t, ourTop(v), want)
				if total >= 0 && total != v.Total() {
					t.Errorf("total %d, pprof has %d", v.Total(), total)
				}
			})
		}
	}
}

var (
	dotNode = regexp.MustCompile(`(?m)^N(\d+) \[.* tooltip="(.*) \(-?\d+\w*\)" color=`)
	dotEdge = regexp.MustCompile(`(?m)^N(\d+) -> N(\d+) \[(.*)\]$`)
	edgeTip = regexp.MustCompile(`tooltip="(.*) \((-?\d+)[a-zA-Z]*\)" labeltooltip`)
)

// TestGraphEqualsPprof compares edges, residual ones included, for the choice of
// nodes that pprof makes.
func TestGraphEqualsPprof(t *testing.T) {
	for name, data := range corpus(t) {
		for _, c := range []struct {
			nodes int
			mean  bool
		}{{12, false}, {80, false}, {80, true}} {
			t.Run(fmt.Sprintf("%s/nodes=%d,mean=%v", name, c.nodes, c.mean), func(t *testing.T) {
				p := parsed(t, data)
				q := profile.Query{Mean: c.mean}
				if c.mean {
					q.Type = len(p.SampleTypes) - 1
				}
				out := pprof(t, map[string][]byte{"p": data}, "-dot", fmt.Sprintf("-sample_index=%d", q.Type),
					"-unit="+p.SampleTypes[q.Type].Unit,
					fmt.Sprintf("-nodecount=%d", c.nodes), fmt.Sprintf("-mean=%v", c.mean), "-nodefraction=0", "-edgefraction=0", "@p")
				kept := map[string]bool{}
				names := map[string]string{}
				for _, m := range dotNode.FindAllStringSubmatch(out, -1) {
					kept[m[2]] = true
					names[m[1]] = m[2]
				}
				want := map[string]int64{}
				for _, m := range dotEdge.FindAllStringSubmatch(out, -1) {
					tip := edgeTip.FindStringSubmatch(m[3])
					if tip == nil {
						t.Fatalf("edge without a tooltip: %s", m[0])
					}
					style := ""
					if strings.Contains(m[3], `style="dotted"`) {
						style = " ..."
					}
					want[names[m[1]]+" -> "+names[m[2]]+style] = atoi(t, tip[2])
				}
				g := view(t, p, q).Graph(func(w profile.Weight) bool { return kept[printable(w.Node, profile.ByFunction)] })
				got := map[string]int64{}
				for _, e := range g.Edges {
					style := ""
					if e.Residual {
						style = " ..."
					}
					got[printable(g.Nodes[e.From].Node, 0)+" -> "+printable(g.Nodes[e.To].Node, 0)+style] += e.Weight
				}
				// pprof removes residual edges that a longer path makes redundant.
				for k, x := range want {
					if got[k] != x {
						t.Errorf("edge %s: %d, pprof has %d", k, got[k], x)
					}
				}
				for k, x := range got {
					if _, ok := want[k]; !ok && !strings.HasSuffix(k, "...") {
						t.Errorf("edge %s: %d, pprof has none", k, x)
					}
				}
				if len(want) == 0 && len(kept) > 2 {
					t.Error("no edges found in pprof's output")
				}
			})
		}
	}
}
