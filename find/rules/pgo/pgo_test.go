package pgo

import (
	"math"
	"testing"

	"github.com/whet-go/whet/find/rules"
)

func TestJudge(t *testing.T) {
	plain := map[string]string{"GOARCH": "amd64"}
	for _, test := range []struct {
		name string
		p    rules.Program
		want float64
	}{
		{"built without", rules.Program{Command: true, Settings: plain, Samples: 500, Below: 0.5}, 0.07},
		{
			"built with",
			rules.Program{Command: true, Settings: map[string]string{"-pgo": "/src/default.pgo"}, Samples: 500, Below: 0.5},
			0,
		},
		{"few samples", rules.Program{Command: true, Settings: plain, Samples: 499, Below: 0.5}, 0},
		{"a test", rules.Program{Settings: plain, Samples: 500, Below: 0.5}, 0},
		{"nothing known", rules.Program{Command: true, Samples: 500, Below: 0.5}, 0},
	} {
		v := judge(&test.p)
		if test.want == 0 && len(v) == 0 {
			continue
		}
		if len(v) != 1 || math.Abs(v[0].Saving-test.want) > 1e-9 ||
			v[0].Setting.String() != "-pgo=default.pgo" || New().Cause(v[0].Category) == nil {
			t.Errorf("%s: %+v, want a saving of %v", test.name, v, test.want)
		}
	}
}
