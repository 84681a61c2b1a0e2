package export

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
)

// A rawDump is the text of -raw with the IDs replaced by what they refer to.
type rawDump struct {
	Head     []string
	Types    string
	Samples  map[string]string // locations and labels: values
	Mappings []string
}

var rawLocation = regexp.MustCompile(`^ *(\d+): (0x[0-9a-f]+ )(?:M=(\d+) )?(.*)$`)

func parseRaw(t *testing.T, text string) rawDump {
	t.Helper()
	d := rawDump{Samples: make(map[string]string)}
	type sample struct{ values, stack, labels string }
	var samples []sample
	locations, mappings := make(map[string]string), make(map[string]string)
	section, last := "", ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch line {
		case "Samples:", "Locations", "Mappings":
			section = line
			continue
		}
		switch section {
		case "":
			// Times are in the local time zone.
			if !strings.HasPrefix(line, "Time:") && !strings.HasPrefix(line, "Duration:") && line != "PeriodType:  " {
				d.Head = append(d.Head, line)
			}
		case "Samples:":
			switch {
			case d.Types == "":
				d.Types = line
			case strings.HasPrefix(line, rawLabelIndent):
				samples[len(samples)-1].labels += strings.TrimSpace(line) + "\n"
			default:
				values, stack, _ := strings.Cut(line, ":")
				samples = append(samples, sample{values, stack, ""})
			}
		case "Locations":
			if m := rawLocation.FindStringSubmatch(line); m != nil {
				last = m[1]
				locations[last] = m[2] + "{" + m[3] + "} " + m[4]
			} else {
				locations[last] += " < " + strings.TrimSpace(line)
			}
		case "Mappings":
			id, rest, _ := strings.Cut(line, ": ")
			if rest = strings.TrimSpace(rest); rest == "0x0/0x0/0x0" {
				continue // pprof's stand-in for no mapping
			}
			mappings[id] = rest
			d.Mappings = append(d.Mappings, rest)
		}
	}
	slices.Sort(d.Mappings)
	for id, l := range locations {
		i, j := strings.Index(l, "{"), strings.Index(l, "}")
		locations[id] = l[:i] + mappings[l[i+1:j]] + l[j+1:]
	}
	for _, s := range samples {
		var b strings.Builder
		for id := range strings.FieldsSeq(s.stack) {
			b.WriteString(locations[id] + "\n")
		}
		b.WriteString(s.labels)
		d.Samples[b.String()] = addValues(t, d.Samples[b.String()], s.values)
	}
	// pprof merges equal samples and drops those without value.
	maps.DeleteFunc(d.Samples, func(_, v string) bool { return strings.Trim(v, "[0 ]") == "" })
	return d
}

func addValues(t *testing.T, a, b string) string {
	x, y := strings.Fields(strings.Trim(a, "[]")), strings.Fields(b)
	sum := make([]int64, len(y))
	for i := range y {
		for _, s := range [][]string{x, y} {
			if len(s) == 0 {
				continue
			}
			n, err := strconv.ParseInt(s[i], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum[i] += n
		}
	}
	return fmt.Sprint(sum)
}

func testRawOracle(t *testing.T, file string, p *profile.Profile) {
	v := oracletest.Bind(t, p, profile.Query{})
	got := parseRaw(t, oracletest.WriteString(t, func(b *bytes.Buffer) error { return Raw(b, v) }))
	want := parseRaw(t, oracletest.RunPprof(t, "-raw", file))
	// pprof drops mappings that no location is in.
	got.Mappings = slices.DeleteFunc(got.Mappings, func(m string) bool { return !slices.Contains(want.Mappings, m) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-go tool pprof +whet)\n%s", oracletest.ClipText(diff))
	}
	if len(got.Samples) == 0 {
		t.Error("no samples")
	}
}

func TestRaw(t *testing.T) {
	p := oracletest.Profile(t, "samples/count cpu/nanoseconds",
		oracletest.Sample{
			Stack: "main.main:3 main.a:5 >main.b:7", Values: []int64{1, 10},
			Labels: map[string][]string{"k": {"v", "w"}},
		},
		oracletest.Sample{Stack: "main.main:3 main.c:9", Values: []int64{2, 20}},
	)
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error { return Raw(b, oracletest.Bind(t, p, profile.Query{})) })
	const want = `PeriodType: cpu nanoseconds
Period: 10
Samples:
samples/count cpu/nanoseconds
          1         10: 2 1 
                k:[v w]
          2         20: 3 1 
Locations
     1: 0x1000 M=1 main.main /src/main.go:3:0 s=1
     2: 0x1010 M=1 main.b /src/main.go:7:0 s=1
             main.a /src/main.go:5:0 s=1
     3: 0x1020 M=1 main.c /src/main.go:9:0 s=1
Mappings
1: 0x1000/0x9000/0x0 /bin/prog  [FN]
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s\n%s", got, want, cmp.Diff(want, got))
	}
	filtered := oracletest.WriteString(t, func(b *bytes.Buffer) error {
		return Raw(b, oracletest.Bind(t, p,
			profile.Query{Focus: regexp.MustCompile("main.b"), Hide: regexp.MustCompile("main.a")}))
	})
	for _, absent := range []string{"main.a", "main.c", " 20:"} {
		if strings.Contains(filtered, absent) {
			t.Errorf("filtered dump still has %q:\n%s", absent, filtered)
		}
	}
}
