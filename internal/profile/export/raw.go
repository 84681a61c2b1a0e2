package export

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/terminal"
	"github.com/whet-go/whet/profile"
)

// Raw writes all contents of the view's profile as text, in the sections and layout of go tool
// pprof -raw: header, samples with their values in all sample types, location ids and labels, then
// those locations and their mappings.
//
// Control characters in names are replaced, so that each record stays on one line. Filters apply:
// samples that they drop, frames that they hide and locations that no shown sample uses are left
// out. Ids are positions in the profile's tables, counted from 1; pprof renumbers them, so only the
// ids differ.
func Raw(w io.Writer, v *profile.View) error {
	r := &rawWriter{w: bufio.NewWriterSize(w, 1<<16), p: v.Profile()}
	r.header()
	used := make([]bool, len(r.p.Lines))
	for s := range v.Stacks() {
		r.sample(s, used)
	}
	r.printf("Locations\n")
	for i := range r.p.Locations {
		r.location(uint32(i), used)
	}
	r.printf("Mappings\n")
	for i := range r.p.Mappings {
		r.mapping(i)
	}
	if r.err != nil {
		return r.err
	}
	return r.w.Flush()
}

type rawWriter struct {
	w   *bufio.Writer
	p   *profile.Profile
	buf []byte // of one sample
	err error
}

func (r *rawWriter) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

func (r *rawWriter) header() {
	p := r.p
	for _, c := range p.Comments {
		r.printf("Comment: %s\n", terminal.Clean(c))
	}
	if p.DocURL != "" {
		r.printf("Doc: %s\n", terminal.Clean(p.DocURL))
	}
	if p.PeriodType != (profile.ValueType{}) {
		r.printf("PeriodType: %s %s\n", terminal.Clean(p.PeriodType.Type), terminal.Clean(p.PeriodType.Unit))
	}
	r.printf("Period: %d\n", p.Period)
	if !p.Time.IsZero() {
		r.printf("Time: %v\n", p.Time.Round(0))
	}
	if p.Duration != 0 {
		r.printf("Duration: %v\n", p.Duration.Round(time.Microsecond))
	}
	r.printf("Samples:\n")
	for i, t := range p.SampleTypes {
		if i > 0 {
			r.printf(" ")
		}
		r.printf("%s/%s", terminal.Clean(t.Type), terminal.Clean(t.Unit))
		if t.Type == p.DefaultSampleType {
			r.printf("[dflt]")
		}
	}
	r.printf("\n")
}

// sample writes one sample and marks its frames in used.
func (r *rawWriter) sample(s profile.Stack, used []bool) {
	b := r.buf[:0]
	for t := range r.p.SampleTypes {
		b = append(b, ' ')
		start := len(b)
		b = strconv.AppendInt(b, r.p.Value(s.Sample, t), 10)
		for len(b) < start+10 { // as %10d
			b = slices.Insert(b, start, ' ')
		}
	}
	b = append(b, ": "...)
	for i, line := range s.Lines {
		used[line] = true
		// Frames of one location follow each other with rising indices; a
		// location that calls itself starts over.
		if i == 0 || s.Locs[i] != s.Locs[i-1] || line <= s.Lines[i-1] {
			b = strconv.AppendUint(b, uint64(s.Locs[i])+1, 10)
			b = append(b, ' ')
		}
	}
	b = append(b, '\n')
	if r.err == nil {
		_, r.err = r.w.Write(b)
	}
	r.buf = b
	r.labels(s)
}

const rawLabelIndent = "                "

func (r *rawWriter) labels(s profile.Stack) {
	if len(s.Labels) == 0 && !r.p.IsBase(s.Sample) {
		return
	}
	str := make(map[string][]string)
	num := make(map[string][]string)
	for _, l := range s.Labels {
		switch {
		case !l.Numeric:
			str[l.Key] = append(str[l.Key], l.Str)
		case l.Unit != "":
			num[l.Key] = append(num[l.Key], fmt.Sprintf("%d %s", l.Num, l.Unit))
		default:
			num[l.Key] = append(num[l.Key], fmt.Sprint(l.Num))
		}
	}
	if r.p.IsBase(s.Sample) {
		str["pprof::base"] = []string{"true"}
	}
	for _, m := range []map[string][]string{str, num} {
		if len(m) == 0 {
			continue
		}
		kv := make([]string, 0, len(m))
		for k, vs := range m {
			kv = append(kv, fmt.Sprintf("%s:%v", k, vs))
		}
		slices.Sort(kv)
		r.printf("%s%s\n", rawLabelIndent, terminal.Clean(strings.Join(kv, " ")))
	}
}

// location writes the used frames of location i, if any.
func (r *rawWriter) location(i uint32, used []bool) {
	l := &r.p.Locations[i]
	head := fmt.Sprintf("%6d: %#x ", i+1, l.Address)
	if l.Mapping != profile.None {
		head += fmt.Sprintf("M=%d ", l.Mapping+1)
	}
	if l.Folded {
		head += "[F] "
	}
	for n := l.First; n < l.First+l.Num; n++ {
		if !used[n] {
			continue
		}
		r.printf("%s", head)
		head = "             " // the address only once, before its innermost frame
		if line := r.p.Lines[n]; line.Function != profile.None {
			f := &r.p.Functions[line.Function]
			r.printf("%s %s:%d:%d s=%d", terminal.Clean(f.Name), terminal.Clean(f.File), line.Line, line.Column, f.StartLine)
			if f.Name != f.SystemName {
				r.printf("(%s)", terminal.Clean(f.SystemName))
			}
		}
		r.printf("\n")
	}
}

func (r *rawWriter) mapping(i int) {
	m := &r.p.Mappings[i]
	var bits strings.Builder
	for _, b := range []struct {
		set  bool
		name string
	}{{m.HasFunctions, "[FN]"}, {m.HasFilenames, "[FL]"}, {m.HasLineNumbers, "[LN]"}, {m.HasInlineFrames, "[IN]"}} {
		if b.set {
			bits.WriteString(b.name)
		}
	}
	r.printf("%d: %#x/%#x/%#x %s %s %s\n", i+1, m.Start, m.Limit, m.Offset, terminal.Clean(m.File),
		terminal.Clean(m.BuildID), &bits)
}
