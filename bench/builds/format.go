package builds

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// WriteFormat writes the rounds in Go's benchmark format
// (https://go.dev/design/14313-benchmark-format), those of A with the key "side: a", those of B
// with "side: b", and "pair" for rounds that belong together. The number of iterations is not kept;
// it is 1.
func (r *Result) WriteFormat(w io.Writer) error {
	out := benchfmt.NewWriter(w)
	res := &benchfmt.Result{Iters: 1}
	set := func(key, value string) {
		res.SetConfig(key, value)
		if i, ok := res.ConfigIndex(key); ok {
			res.Config[i].File = true // otherwise it is not written
		}
	}
	set("goos", r.Machine.GOOS)
	set("goarch", r.Machine.GOARCH)
	set("cpu", r.Machine.CPU)
	set("processors", strconv.Itoa(r.Machine.Processors))
	set("load", r.Machine.Load)
	for side, built := range []BuiltSide{r.A, r.B} {
		set("side", []string{"a", "b"}[side])
		set("commit", built.Commit)
		set("flags", strings.Join(built.Flags, " "))
		set("env", strings.Join(built.Env, " "))
		for _, c := range r.Subjects {
			res.Name = benchfmt.Name(c.Name)
			for pair := range c.Pairs {
				res.Values = res.Values[:0]
				for _, u := range c.Units {
					if pair < len(u.Rounds[side]) {
						res.Values = append(res.Values, untidy(u.Rounds[side][pair], u.Unit))
					}
				}
				if len(res.Values) == 0 {
					continue
				}
				if err := out.Write(res); err != nil {
					return fmt.Errorf("write benchmark format: %w", err)
				}
			}
		}
	}
	return nil
}

// untidy returns a value in the unit that go test writes.
func untidy(v float64, unit string) benchfmt.Value {
	switch unit {
	case "sec/op":
		return benchfmt.Value{Value: v * 1e9, Unit: "ns/op"}
	case "B/s":
		return benchfmt.Value{Value: v / 1e6, Unit: "MB/s"}
	}
	return benchfmt.Value{Value: v, Unit: unit}
}
