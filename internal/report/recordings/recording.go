package recordings

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/capture/arguments"
	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/report/layout"
)

// WriteRecording writes d as text.
func WriteRecording(w io.Writer, s layout.Style, d documents.Recording) error {
	t := layout.NewWriter(w)
	m := d.Meta
	writeHead(t, s, d.Path, d.Bytes, m)
	writeLoad(t, d.Load)
	missingParts(t, s, m)
	if len(d.Arguments) > 0 {
		t.Line()
		t.Line(s.Paint(layout.Bold, "arguments"), " of sampled calls")
	}
	for i := range d.Arguments {
		writeFunction(t, s, &d.Arguments[i])
	}
	for _, f := range d.Calls {
		t.Line()
		t.Line("calls of ", s.Paint(layout.Bold, layout.Clean(f.Name)))
		for _, c := range f.Calls {
			var args, results []string
			for i := range c.Arguments {
				args = append(args, layout.Clean(arguments.Text(&c.Arguments[i])))
			}
			for i := range c.Results {
				results = append(results, layout.Clean(arguments.Text(&c.Results[i])))
			}
			line := "  (" + strings.Join(args, ", ") + ")"
			if len(results) > 0 {
				line += " = " + strings.Join(results, ", ")
			}
			t.Line(line)
		}
	}
	if len(d.NotCopied) > 0 {
		t.Line()
		t.Line("not copied:")
		for _, left := range d.NotCopied {
			t.Line("  ", layout.Clean(left.Function), "  ", s.Paint(layout.Dim, layout.Clean(left.Why)))
		}
	}
	return t.Result()
}

// writeFunction describes the calls of a function.
func writeFunction(t *layout.Writer, s layout.Style, f *arguments.Summary) {
	t.Line()
	facts := layout.Facts{fmt.Sprintf("%d of %d calls", f.Kept, f.Taken)}
	facts.If(f.Rate > 0, ", about %.0f/s", f.Rate)
	t.Line(s.Paint(layout.Bold, layout.Clean(path.Base(f.Package)+"."+f.Name)), "  ", s.Paint(layout.Dim, facts.String()))
	if f.Kept == 0 {
		return
	}
	if f.Note != "" {
		t.Line("  ", s.Paint(layout.Dim, layout.Clean(f.Note)))
	}
	for i := range f.Arguments {
		writeArgument(t, s, &f.Arguments[i], f.Kept, "")
	}
	for i := range f.Results {
		writeArgument(t, s, &f.Results[i], f.Kept, "= ")
	}
}

// writeArgument describes the values of an argument or a result.
func writeArgument(t *layout.Writer, s layout.Style, a *arguments.Argument, kept int, before string) {
	name := layout.Clean(strings.TrimSpace(before + a.Name + " " + a.Type))
	facts := layout.Facts{}
	if z := a.Size; z != nil && z.Min == z.Max {
		facts.Add("%s %g", z.Of, z.Min)
	} else if z != nil {
		facts.Add("%s %g to %g, median %g, p90 %g", z.Of, z.Min, z.Max, z.Median, z.P90)
	}
	t.Line("  ", name, "  ", s.Paint(layout.Dim, facts.String()))
	for _, v := range a.Values {
		if v.Calls > 1 || len(a.Values) == 1 || v == a.Values[0] {
			t.Line("    ", fmt.Sprintf("%3.0f%%  ", 100*float64(v.Calls)/float64(kept)), layout.Clean(v.Value))
		}
	}
	for _, why := range slices.Sorted(maps.Keys(a.Missing)) {
		t.Line("    ", s.Paint(layout.Dim, fmt.Sprintf("incomplete in %d calls: %s", a.Missing[why], layout.Clean(why))))
	}
}
