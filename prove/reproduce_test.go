package prove_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/prove/provetest"
	"github.com/whet-go/whet/prove"
)

// TestReproduce writes tests of differences, for arguments and effects of many kinds. Each passes
// with version A and fails with version B, as prove has also checked.
func TestReproduce(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const head = "-- go.mod --\nmodule example.com/r\n\ngo 1.26\n-- r.go --\npackage r\n\n"
	for _, test := range []struct {
		name     string
		before   string
		old, new string // text that the change replaces
		want     []string
		not      string // why there is no test
	}{
		{
			name: "results",
			before: "func Join(words []string, n int64) (string, error) {\n\tif n == 7 {\n\t\treturn \"\", nil\n\t}\n" +
				"\treturn words[0], nil\n}",
			old: "n == 7", new: "n == 7 || len(words) > 2",
			want: []string{"Join([]string{", "func TestReproduce_Join(t *testing.T) {"},
		},
		{
			name: "a receiver with state",
			before: "type Sum struct {\n\ttotal int\n\tseen map[string]float64\n}\n\n" +
				"func (s *Sum) Add(n int) int {\n\ts.total += n\n\treturn s.total\n}",
			old: "s.total += n\n", new: "if n != 3 {\n\t\ts.total += n\n\t}\n",
			want: []string{"recv := &Sum{", "recv.Add(3)"},
		},
		{
			name: "a constructed receiver",
			before: "type Ring struct {\n\tsize int\n\tget func() int\n}\n\n" +
				"func NewRing(size int) (*Ring, error) {\n\treturn &Ring{size, func() int { return size }}, nil\n}\n\n" +
				"func (r *Ring) Get(n uint8) uint8 { return n }",
			old: "return n }", new: "return n | n>>7 }",
			want: []string{"NewRing(", "recv.Get("},
		},
		{
			name:   "an argument afterwards",
			before: "import \"sort\"\n\nfunc Order(list []int) { sort.Ints(list) }",
			old:    "sort.Ints(list)", new: "if len(list) != 3 {\n\t\tsort.Ints(list)\n\t}",
			want: []string{"a0 := []int{", "Order(a0)", "reflect.DeepEqual"},
		},
		{
			name:   "what is written",
			before: "import (\n\t\"fmt\"\n\t\"io\"\n)\n\nfunc Print(w io.Writer, x any) { fmt.Fprintln(w, x) }",
			old:    "fmt.Fprintln(w, x)", new: "fmt.Fprint(w, x, \"\\r\\n\")",
			want: []string{"w0 := &whetWrites{", "Print(w0, "},
		},
		{
			name:   "a panic",
			before: "type Kind uint8\n\nfunc (k Kind) Name(names [3]string) string { return names[k] }",
			old:    "return names[k]", new: "if k > 2 {\n\t\treturn \"\"\n\t}\n\treturn names[k]",
			want: []string{"recover()", "recv := Kind("},
		},
		{
			name: "a handler",
			before: "import (\n\t\"net/http\"\n\t\"time\"\n)\n\n" +
				"func Wrap(next http.Handler, d time.Duration) http.Handler {\n" +
				"\treturn http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {\n" +
				"\t\tw.Header().Set(\"X\", r.Method)\n\t\tnext.ServeHTTP(w, r)\n\t})\n}",
			old: "\"X\", r.Method", new: "\"X\", r.URL.Path",
			want: []string{"&http.Request{", "httptest.NewRecorder()", "r0.ServeHTTP("},
		},
		{
			name:   "numbers that do not equal themselves",
			before: "func Half(x float64) []float64 { return []float64{x / 2} }",
			old:    "x / 2}", new: "0 + x/2}",
			want: []string{"Half("},
		},
		{
			name:   "a list that is sorted",
			before: "import \"sort\"\n\nfunc Order(list sort.Interface) int {\n\tsort.Stable(list)\n\treturn list.Len()\n}",
			old:    "sort.Stable(list)", new: "if list.Len() != 3 {\n\t\tsort.Stable(list)\n\t}",
			want: []string{"a0 := &whetList{", "reflect.DeepEqual"},
		},
		{
			name:   "a function",
			before: "func Apply(f func(int) int, s string) int { return f(len(s)) }",
			old:    "f(len(s))", new: "f(len(s)) + len(s)/2",
			not: "an argument has a function",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			provetest.Part(t)
			a := writeModule(t, head+test.before+"\n")
			b := writeModule(t, head+strings.Replace(test.before, test.old, test.new, 1)+"\n")
			r := proveDirs(t, a, b, func(q *prove.Request) { q.FuzzInputs = 20_000 })
			p := r.Reproducer
			if r.Outcome != prove.OutcomeDifferent || p == nil {
				t.Fatalf("%s: %s", r.Outcome, r.Reason)
			}
			if test.not != "" {
				if !strings.Contains(p.NoTest, test.not) || len(p.Input) == 0 || p.Source != "" {
					t.Fatalf("%s, %q, %s", p.NoTest, p.Input, p.Source)
				}
				return
			}
			for _, want := range test.want {
				if !strings.Contains(p.Source, want) {
					t.Errorf("no %q in\n%s\n%s\n%s", want, p.Source, p.NoTest, r.Reason)
				}
			}
			for i, dir := range []string{a, b} {
				if err := os.WriteFile(filepath.Join(dir, p.File), []byte(p.Source), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), "sh", "-c", p.Command)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); (err != nil) != (i == 1) {
					t.Errorf("version %c: %v\n%s\n%s", "AB"[i], err, out, p.Source)
				}
			}
		})
	}
}

// TestReproduceByTest names the module's test that shows a difference, with its command.
func TestReproduceByTest(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	a := writeModule(t, before)
	b := writeModule(t, strings.Replace(before, slowJoin, semicolons, 1))
	r := proveDirs(t, a, b, nil)
	const want = "go test '-run=^TestJoin$' ./text"
	if p := r.Reproducer; p == nil || p.Test != "TestJoin" || p.Command != want || p.Source != "" {
		t.Errorf("%s: %s, want the command %s", r.Outcome, r.Reason, want)
	}
}
