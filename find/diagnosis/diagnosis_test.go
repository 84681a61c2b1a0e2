package diagnosis_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/find/notes"
	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/profile"
)

// of returns the kind of a stack below a line, outermost function first.
func of(stack string) diagnosis.Kind {
	kind := diagnosis.Kind("")
	for _, function := range slices.Backward(strings.Fields(stack)) {
		kind = diagnosis.Class(function).Around(kind)
	}
	return kind
}

// TestClass classifies stacks as CPU, mutex and block profiles of Go 1.26 have them.
func TestClass(t *testing.T) {
	for _, test := range []struct {
		stack string
		want  diagnosis.Kind
	}{
		{"fmt.Sprintf fmt.(*pp).doPrintf fmt.(*pp).printArg strconv.AppendFloat", diagnosis.Formatting},
		{"fmt.Sprintf fmt.newPrinter sync.(*Pool).Get", diagnosis.Formatting},
		{"time.Time.Format time.Time.AppendFormat runtime.growslice", diagnosis.Formatting},
		{"regexp.(*Regexp).ReplaceAllString regexp.(*Regexp).replaceAll runtime.growslice", diagnosis.Regexp},
		{"regexp.MustCompile regexp/syntax.Parse runtime.newobject runtime.mallocgc", diagnosis.Regexp},
		{"reflect.DeepEqual reflect.deepValueEqual runtime.mapassign", diagnosis.Reflection},
		{"strconv.Itoa", diagnosis.Conversion},
		{"runtime.slicebytetostring runtime.mallocgc runtime.gcAssistAlloc", diagnosis.Conversion},
		{"runtime.concatstring2 runtime.concatstrings runtime.rawstringtmp runtime.mallocgc", diagnosis.Concatenation},
		{"runtime.mapaccess1_faststr runtime.strhash", diagnosis.MapAccess},
		{"internal/runtime/maps.(*Map).getWithKeySmall", diagnosis.MapAccess},
		{"runtime.mapassign_faststr internal/runtime/maps.(*table).rehash runtime.memhash64", diagnosis.MapGrowth},
		{"runtime.growslice runtime.mallocgc runtime.memclrNoHeapPointers", diagnosis.SliceGrowth},
		{"strings.(*Builder).WriteString runtime.growslice runtime.memmove", diagnosis.SliceGrowth},
		{"strings.(*Builder).WriteString", diagnosis.Streams},
		{"runtime.convTstring runtime.mallocgc", diagnosis.Interface},
		{"runtime.newobject runtime.mallocgc runtime.mallocgcSmallScanNoHeader", diagnosis.Allocation},
		{"log/slog.Value.Any runtime.convT64 runtime.mallocgc", diagnosis.Interface},
		{"log/slog.(*TextHandler).Handle log/slog.Value.Any runtime.convT64", diagnosis.Logging},
		{"runtime.ReadMemStats runtime.stopTheWorldGC runtime.semacquire", diagnosis.StoppedWorld},
		{"runtime.ReadMemStats runtime.systemstack runtime.readmemstats_m", diagnosis.StoppedWorld},
		{"runtime.GOMAXPROCS runtime.stopTheWorldGC runtime.semacquire", diagnosis.StoppedWorld},
		{"runtime.memmove", diagnosis.Copying},
		{"runtime.duffcopy", diagnosis.Copying},
		{"strings.ToLower strings.(*Builder).Grow runtime.growslice", diagnosis.Text},
		{"slices.SortFunc[go.shape.[]int,go.shape.int] slices.pdqsortCmpFunc[go.shape.int]", diagnosis.Sorting},
		{"sort.Sort sort.pdqsort sort.IntSlice.Less", diagnosis.Sorting},
		{"crypto/sha256.Sum256 crypto/internal/fips140/sha256.blockSHANI", diagnosis.Hashing},
		{"crypto/tls.(*Conn).Write crypto/internal/fips140/aes/gcm.gcmAesEnc", diagnosis.Encryption},
		{"encoding/json.Marshal encoding/json.(*encodeState).marshal reflect.Value.Field", diagnosis.Encoding},
		{"io.Copy io.copyBuffer compress/gzip.(*Writer).Write " +
			"compress/flate.(*compressor).write", diagnosis.Compression},
		{"html/template.(*Template).Execute text/template.(*state).walk reflect.Value.Call", diagnosis.Template},
		{"log.(*Logger).Printf log.(*Logger).output fmt.Appendf", diagnosis.Logging},
		{"database/sql.(*DB).QueryContext github.com/lib/pq.(*conn).query runtime.selectgo", diagnosis.Database},
		{"net/http.(*Client).Do net/http.(*persistConn).roundTrip runtime.selectgo", diagnosis.HTTP},
		{"os.(*File).Write internal/poll.(*FD).Write syscall.Write syscall.Syscall", diagnosis.SystemCall},
		{"bufio.(*Writer).Flush os.(*File).Write syscall.write " +
			"internal/runtime/syscall.Syscall6", diagnosis.SystemCall},
		{"sync.(*Mutex).Lock internal/sync.(*Mutex).lockSlow runtime.semacquire1 runtime.gopark", diagnosis.Lock},
		{"sync.(*RWMutex).Unlock", diagnosis.Lock},
		{"runtime.chansend1 runtime.chansend runtime.gopark", diagnosis.Channel},
		{"runtime.selectgo runtime.gopark", diagnosis.Channel},
		{"sync.(*WaitGroup).Wait sync.runtime_SemacquireWaitGroup", diagnosis.Wait},
		{"runtime.newproc runtime.systemstack runtime.newproc1", diagnosis.Scheduling},
		{"sync/atomic.(*Int64).Add", diagnosis.Atomic},
		{"sync.(*Pool).Get sync.(*Pool).pin", diagnosis.Pool},
		{"time.Now", diagnosis.Clock},
		{"runtime.morestack_noctxt runtime.newstack runtime.copystack", diagnosis.StackGrowth},
		{"runtime.gcWriteBarrier2 runtime.wbBufFlush", diagnosis.Collection},
		{"runtime.cgocall", diagnosis.Cgo},
		{"math/big.(*Int).Exp", diagnosis.Math},

		// A dependency has the kind of what it spends its time in.
		{"github.com/gorilla/mux.(*Router).Match regexp.(*Regexp).MatchString", diagnosis.Regexp},
		{"example.com/dep.Join runtime.concatstring2", diagnosis.Concatenation},
		{"example.com/dep.(*Client).Send net.(*conn).Write internal/poll.(*FD).Write " +
			"syscall.write", diagnosis.SystemCall},
		{"example.com/dep.Sum", diagnosis.Dependency},
		{"gopkg.in/yaml%2ev3.Unmarshal gopkg.in/yaml%2ev3.(*parser).parse", diagnosis.Encoding},
		{"sync.(*Once).Do example.com/dep.load", diagnosis.Library},
		{"", ""},
	} {
		if got := of(test.stack); got != test.want {
			t.Errorf("%s: %q, want %q", test.stack, got, test.want)
		}
	}
}

// TestClassOfProfile classifies the samples of a recorded program: what is below its own code has a
// kind, and hardly any of it is of the kinds about which nothing is known.
func TestClassOfProfile(t *testing.T) {
	p, err := profile.ReadFile("../testdata/slug.cpu.pb.gz", profile.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	values := map[diagnosis.Kind]int64{}
	var total int64
	var stack []uint32
	for i := range p.NumSamples() {
		kind, own := diagnosis.Kind(""), false
		stack = p.AppendStack(stack[:0], i)
	frames:
		for _, loc := range stack {
			at := p.Locations[loc]
			for _, line := range p.Lines[at.First : at.First+at.Num] {
				if line.Function == profile.None {
					continue
				}
				name := p.Functions[line.Function].Name
				if own = strings.HasPrefix(name, "main."); own {
					break frames
				}
				kind = diagnosis.Class(name).Around(kind)
			}
		}
		if own {
			v := p.Value(i, len(p.SampleTypes)-1)
			values[kind] += v
			total += v
		}
	}
	unknown := values[diagnosis.Library] + values[diagnosis.Runtime] + values[diagnosis.Dependency]
	if total == 0 || unknown > total/20 || values[diagnosis.Regexp] < total/2 {
		t.Errorf("%d of %d of no kind: %v", unknown, total, values)
	}
}

func rulesThatRan() []string {
	var names []string
	for _, r := range index.Rules() {
		names = append(names, r.Analyzer.Name)
	}
	return names
}

// TestKinds has a diagnosis of every kind: what the line does, why there is no rewrite, and only
// rules that exist.
func TestKinds(t *testing.T) {
	all := rulesThatRan()
	for _, kind := range diagnosis.Kinds() {
		none := diagnosis.Of(diagnosis.Input{Resource: "cpu", Costs: map[diagnosis.Kind]float64{kind: 0.1}, Rules: all})
		if none.Kind != kind || none.Saves != 0.1 || none.Text == "" || !strings.HasPrefix(none.Why, "no rewrite: ") ||
			none.Rewrite || strings.Contains(none.Why, "did not run") || strings.HasSuffix(none.Why, ": ") {
			t.Errorf("%s: %+v", kind, none)
		}
		for _, rule := range none.Considered {
			if !strings.Contains(none.Why, rule) {
				t.Errorf("%s: %q does not name the rule %s", kind, none.Why, rule)
			}
		}
		without := diagnosis.Of(diagnosis.Input{Costs: map[diagnosis.Kind]float64{kind: 0.1}})
		_, missing, _ := strings.Cut(without.Why, "did not run: ")
		for rule := range strings.SplitSeq(missing, ", ") {
			if rule != "" && !slices.Contains(all, rule) {
				t.Errorf("%s: there is no rule %q", kind, rule)
			}
		}
	}
}

// TestOf checks what decides between kinds, and the reasons.
func TestOf(t *testing.T) {
	kinds := func(list ...any) map[diagnosis.Kind]float64 {
		m := map[diagnosis.Kind]float64{}
		for i := 0; i < len(list); i += 2 {
			m[list[i].(diagnosis.Kind)] = list[i+1].(float64)
		}
		return m
	}
	escape := func(message string, through ...string) notes.Note {
		n := notes.Note{Kind: "escape", Message: message}
		for _, s := range through {
			n.Through = append(n.Through, notes.Step{Message: s})
		}
		return n
	}
	itself := kinds(diagnosis.Own, 0.5)
	for _, test := range []struct {
		name string
		in   diagnosis.Input
		kind diagnosis.Kind
		text string // part of Text
		why  string // part of Why
	}{
		{
			"the largest",
			diagnosis.Input{Costs: kinds(diagnosis.Own, 0.1, diagnosis.Regexp, 0.2)},
			diagnosis.Regexp, "regular expression", "",
		},
		{
			"append",
			diagnosis.Input{Resource: diagnosis.Memory, Costs: itself, Code: "all = append(all, x)"},
			diagnosis.SliceGrowth, "grow", "capacity",
		},
		{
			"map",
			diagnosis.Input{Resource: diagnosis.Memory, Costs: itself, Code: "\tm[key] = value"},
			diagnosis.MapGrowth,
			"map", "",
		},
		{
			"make",
			diagnosis.Input{
				Resource: diagnosis.Memory, Costs: itself, Code: "b := make([]byte, n)",
				Notes: []notes.Note{escape("make([]byte, n) escapes to heap", "from return b (return)")},
			},
			diagnosis.Escape, "make([]byte, n) escapes to the heap, by return b (return)", "",
		},
		{
			"operand",
			diagnosis.Input{
				Resource: diagnosis.Memory, Costs: itself, Code: "report(n)",
				Notes: []notes.Note{escape("n escapes to heap", "from n (spill)", "from ... argument "+
					"(slice-literal-element)")},
			},
			diagnosis.Interface, "interface", "boxing",
		},
		{
			"conversion",
			diagnosis.Input{
				Resource: diagnosis.Memory, Costs: itself, Code: "use(string(b))",
				Notes: []notes.Note{escape("string(b) escapes to heap")},
			},
			diagnosis.Conversion, "converts", "convert",
		},
		{
			"by CPU time",
			diagnosis.Input{
				Resource: diagnosis.Memory, Costs: itself, Code: "return f(a, b)",
				Hints: kinds(diagnosis.Concatenation, 0.1, diagnosis.Allocation, 0.02),
			},
			diagnosis.Concatenation, "joins", "concat",
		},
		{
			"nothing known",
			diagnosis.Input{Resource: diagnosis.Memory, Costs: itself, Code: "x := y"},
			diagnosis.Allocation, "", "",
		},
		{
			"bounds checks",
			diagnosis.Input{Costs: itself, Notes: []notes.Note{{Kind: "isInBounds"}}},
			diagnosis.Own,
			"keeps a bounds check", "",
		},
		{
			"a rewrite",
			diagnosis.Input{
				Costs: itself, Claimed: 0.4,
				Findings: []diagnosis.Finding{{ID: "convert/a.go/F/1", Fix: true}, {ID: "boxing/1"}},
			},
			diagnosis.Own, "", "a rewrite is in convert/a.go/F/1",
		},
		{
			"part of it",
			diagnosis.Input{
				Costs: itself, Claimed: 0.1, Findings: []diagnosis.Finding{{ID: "convert/1", Fix: true}},
			},
			diagnosis.Own, "", "a rewrite is in convert/1; no rewrite of the rest: the rules copylarge",
		},
		{
			"no rewrite",
			diagnosis.Input{
				Costs: itself, Claimed: 0.5,
				Findings: []diagnosis.Finding{{ID: "locks/1", NoFix: "the file is generated or uses cgo"}},
			},
			diagnosis.Own, "", "no rewrite in locks/1: the file is generated or uses cgo",
		},
		{
			"candidates",
			diagnosis.Input{
				Costs: itself, Claimed: 0.5, Candidates: []string{"C1", "C3"},
				Findings: []diagnosis.Finding{{ID: "locks/1", NoFix: "it is held: release it"}},
			},
			diagnosis.Own, "", "a candidate is in C1 and C3; no rewrite in locks/1: it is held: release it",
		},
		{
			"a setting",
			diagnosis.Input{
				Costs: itself, Claimed: 0.5, Findings: []diagnosis.Finding{{ID: "jsoncodec/1", Setting: true}},
			},
			diagnosis.Own, "", "a setting is in jsoncodec/1",
		},
		{
			"not analyzed",
			diagnosis.Input{Costs: itself, Unchecked: "its package does not build"},
			diagnosis.Own, "", "because its package does not build",
		},
		{"without costs", diagnosis.Input{}, diagnosis.Own, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.in.Rules == nil {
				test.in.Rules = rulesThatRan()
			}
			d := diagnosis.Of(test.in)
			if d.Kind != test.kind || !strings.Contains(d.Text, test.text) || !strings.Contains(d.Why, test.why) {
				t.Errorf("%+v", d)
			}
			fixed := func(f diagnosis.Finding) bool { return f.Fix }
			if d.Rewrite != slices.ContainsFunc(test.in.Findings, fixed) {
				t.Errorf("rewrite %v", d.Rewrite)
			}
		})
	}

	d := diagnosis.Of(diagnosis.Input{
		Resource: "cpu", Costs: kinds(diagnosis.Formatting, 0.3, diagnosis.Own, 0.1, diagnosis.Lock, 0.01), Test: true,
		Findings: []diagnosis.Finding{{ID: "x", Fix: true}},
	})
	if d.Saves != 0 || d.Rewrite || !strings.Contains(d.Why, "test code") || d.Share != 0.3 || d.Cost != "cpu" ||
		!slices.Equal(d.Also, []diagnosis.Part{{Kind: diagnosis.Own, Share: 0.1}}) || d.Line < 0.40 || d.Line > 0.42 {
		t.Errorf("a test: %+v", d)
	}
}
