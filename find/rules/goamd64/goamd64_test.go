package goamd64

import (
	"math"
	"regexp"
	"testing"
	"time"

	"github.com/whet-go/whet/find/rules"
)

func TestJudge(t *testing.T) {
	program := func(build, level string, bits, own float64) *rules.Program {
		return &rules.Program{
			Command: true, CPU: time.Second, Settings: map[string]string{"GOAMD64": build},
			Level: level, Own: own,
			Share: func(re *regexp.Regexp) float64 {
				if !re.MatchString("math/bits.OnesCount64") || !re.MatchString("math.FMA") || re.MatchString("math.FloorDiv") {
					t.Errorf("asked for %s", re)
				}
				return bits
			},
		}
	}
	for _, test := range []struct {
		name string
		p    *rules.Program
		want float64 // 0 is no finding
	}{
		{"bits", program("v1", "v3", 0.10, 0.9), 0.10},
		{"own", program("v1", "v4", 0.01, 0.60), 0.03},
		{"neither", program("v1", "v3", 0.01, 0.49), 0},
		{"old machine", program("v1", "v2", 0.10, 0.9), 0},
		{"unknown machine", program("v1", "", 0.10, 0.9), 0},
		{"another architecture", program("", "v3", 0.10, 0.9), 0},
		{"done", program("v3", "v3", 0.10, 0.9), 0},
	} {
		v := judge(test.p)
		if test.want == 0 && len(v) == 0 {
			continue
		}
		if len(v) != 1 || math.Abs(v[0].Saving-test.want) > 1e-9 ||
			v[0].Setting.String() != "GOAMD64=v3" || New().Cause(v[0].Category) == nil {
			t.Errorf("%s: %+v, want a saving of %v", test.name, v, test.want)
		}
	}
	test := program("v1", "v3", 0.10, 0.9)
	test.Command = false
	if v := judge(test); len(v) != 0 {
		t.Errorf("a test binary: %+v", v)
	}
}
