package export

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/whet-go/whet/internal/profile/oracletest"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/profile/profiletest"
)

// speedscopeFile is the part of the schema that whet writes.
type speedscopeFile struct {
	Schema string `json:"$schema"`
	Shared struct {
		Frames []speedscopeFrame `json:"frames"`
	} `json:"shared"`
	Profiles []struct {
		Type       string  `json:"type"`
		Name       string  `json:"name"`
		Unit       string  `json:"unit"`
		StartValue int64   `json:"startValue"`
		EndValue   int64   `json:"endValue"`
		Samples    [][]int `json:"samples"`
		Weights    []int64 `json:"weights"`
	} `json:"profiles"`
	Name               string `json:"name"`
	ActiveProfileIndex int    `json:"activeProfileIndex"`
	Exporter           string `json:"exporter"`
}

func parseSpeedscope(t *testing.T, text string) speedscopeFile {
	t.Helper()
	var f speedscopeFile
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != SpeedscopeSchema {
		t.Errorf("schema %q", f.Schema)
	}
	return f
}

// Each profile of the file folds to the output of Folded for that sample type.
func testSpeedscopeAgainstFolded(t *testing.T, p *profile.Profile) {
	f := parseSpeedscope(t, oracletest.WriteString(t, func(b *bytes.Buffer) error {
		return Speedscope(b, oracletest.Bind(t, p, profile.Query{}), "test")
	}))
	if len(f.Profiles) != len(p.SampleTypes) {
		t.Fatalf("%d profiles for %d sample types", len(f.Profiles), len(p.SampleTypes))
	}
	for i, sp := range f.Profiles {
		v, err := p.View(profile.Query{Type: i})
		if err != nil {
			t.Fatal(err)
		}
		if len(sp.Samples) != len(sp.Weights) {
			t.Errorf("%s: %d samples and %d weights", sp.Name, len(sp.Samples), len(sp.Weights))
			continue
		}
		got := make(map[string]int64)
		var sum int64
		for j, stack := range sp.Samples {
			names := make([]string, len(stack))
			for k, frame := range stack {
				names[k] = foldedEscape(f.Shared.Frames[frame].Name)
			}
			key := strings.Join(names, ";")
			if key == "" {
				key = "[no stack]"
			}
			got[key] += sp.Weights[j]
			sum += sp.Weights[j]
		}
		if diff := cmp.Diff(foldedOf(t, v), got); diff != "" {
			t.Errorf("%s: (-folded +speedscope)\n%s", sp.Name, oracletest.ClipText(diff))
		}
		if sum != sp.EndValue {
			t.Errorf("%s: endValue %d, weights add up to %d", sp.Name, sp.EndValue, sum)
		}
	}
}

func TestSpeedscope(t *testing.T) {
	p := oracletest.Profile(t, "alloc_objects/count alloc_space/bytes delay/seconds odd/rods",
		oracletest.Sample{Stack: "main.main main.a >lib.b", Values: []int64{1, 100, 0, 3}},
		oracletest.Sample{Stack: "main.main", Values: []int64{0, 50, 0, 0}},
	)
	v, err := p.View(profile.Query{Type: 1, By: profile.ByLine})
	if err != nil {
		t.Fatal(err)
	}
	got := oracletest.WriteString(t, func(b *bytes.Buffer) error { return Speedscope(b, v, "a \"b\"") })
	const want = `{"$schema":"https://www.speedscope.app/file-format-schema.json","name":"a \"b\"","exporter":"whet","activeProfileIndex":1,"shared":{"frames":[
{"name":"main.main","file":"/src/main.go","line":1},
{"name":"main.a","file":"/src/main.go","line":1},
{"name":"lib.b","file":"/src/lib.go","line":1}]},
"profiles":[
{"type":"sampled","name":"alloc_objects","unit":"none","startValue":0,"samples":[[0,1,2]],"weights":[1],"endValue":1},
{"type":"sampled","name":"alloc_space","unit":"bytes","startValue":0,"samples":[[0,1,2],[0]],"weights":[100,50],"endValue":150},
{"type":"sampled","name":"delay","unit":"seconds","startValue":0,"samples":[],"weights":[],"endValue":0},
{"type":"sampled","name":"odd (rods)","unit":"none","startValue":0,"samples":[[0,1,2]],"weights":[3],"endValue":3}]}
`
	if got != want {
		t.Errorf("(-want +got)\n%s", cmp.Diff(want, got))
	}
}

func TestSpeedscopeRefusesNegative(t *testing.T) {
	p := oracletest.Profile(t, "cpu/nanoseconds", oracletest.Sample{Stack: "main.main", Values: []int64{-1}})
	err := Speedscope(io.Discard, oracletest.Bind(t, p, profile.Query{}), "")
	if err == nil || !strings.Contains(err.Error(), "is -1") {
		t.Errorf("got %v", err)
	}
}

// A TestSpeedscopeStreams profile is written without holding it a second time.
func TestSpeedscopeStreams(t *testing.T) {
	p := profiletest.Generate(profiletest.Options{Samples: 50_000})
	v := oracletest.Bind(t, p, profile.Query{})
	var n countingWriter
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := Speedscope(&n, v, "large"); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	allocated := int64(after.TotalAlloc - before.TotalAlloc)
	if int64(n) < 4*allocated {
		t.Errorf("allocated %d bytes to write %d", allocated, n)
	}
}

type countingWriter int64

func (c *countingWriter) Write(p []byte) (int, error) {
	*c += countingWriter(len(p))
	return len(p), nil
}
