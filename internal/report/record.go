package report

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// RecordSchema is the schema of Record.
const RecordSchema = "whet.record/1"

// Record is what whet record shows: what is in the file, and what is not.
type Record struct {
	Schema string         `json:"schema"`
	Path   string         `json:"path"`
	Bytes  int64          `json:"bytes"`
	Meta   recording.Meta `json:"meta"`
	Load   *load.Result   `json:"load,omitempty"`
	// Collector is the garbage collector's share of the CPU profile; nil without one.
	Collector *Collector `json:"collector,omitempty"`
	Failures  []string   `json:"failures,omitempty"`
	Warnings  []string   `json:"warnings,omitempty"`
}

// WriteRecord renders d for people.
func WriteRecord(w io.Writer, s Style, d Record) error {
	t := &text{w: w}
	m := d.Meta
	t.line(s.paint(bold, d.Path), "  ", Clean(m.Target.String()), ", ", unit.Duration(m.Duration.Round(time.Millisecond)), ", ", unit.Bytes(d.Bytes).String(), interruptedNote(m))
	if about := aboutTarget(m); about != "" {
		t.line(s.paint(dim, about))
	}
	recordedParts(t, m)
	if d.Load != nil {
		l := d.Load
		failed := ""
		if by := l.Failures(); by != "" {
			failed = " (" + by + ")"
		}
		t.line(fmt.Sprintf("load       %s requests, %.0f/s, p50 %s, p99 %s, max %s, %d failed%s", unit.Count(l.Requests), l.Rate,
			unit.Duration(l.Latency.P50), unit.Duration(l.Latency.P99), unit.Duration(l.Latency.Max), l.Failed()+l.Errors.Total(), failed))
		t.line("sent       ", Clean(sentBy(l)))
	}
	if d.Collector != nil {
		t.line("collector  ", collectorText(*d.Collector))
	}
	if len(m.Missing) > 0 {
		t.line()
		t.line("not recorded:")
		width := 0
		for _, miss := range m.Missing {
			width = max(width, columns(miss.Part))
		}
		for _, miss := range m.Missing {
			t.line("  ", left(miss.Part, width), "  ", Clean(miss.Reason))
			if miss.Cure != "" {
				t.line("  ", blanks(width), "  ", s.paint(cyan, Clean(miss.Cure)))
			}
		}
	}
	t.line()
	t.line("next: ", nextView(m), " ", d.Path)
	return t.result()
}

// sentBy says what requests a load was made of.
func sentBy(l *load.Result) string {
	what := "various methods"
	if l.Method != "" {
		what = l.Method
	}
	if len(l.Targets) == 1 {
		what += " " + l.Targets[0]
	} else {
		what += fmt.Sprintf(" to %d targets", len(l.Targets))
	}
	if l.Sent.Body > 0 {
		what += ", body " + unit.Bytes(l.Sent.Body).String()
	}
	if len(l.Sent.Headers) > 0 {
		what += ", header " + strings.Join(l.Sent.Headers, " ")
	}
	if l.Sent.Rows > 0 {
		what += fmt.Sprintf(", %d rows of variables", l.Sent.Rows)
	}
	what += fmt.Sprintf(", %d connections", l.Connections)
	if l.Open != nil {
		what += fmt.Sprintf(", %g/s", l.Open.Rate)
		if l.Open.RampTo > 0 {
			what += fmt.Sprintf(" to %g/s", l.Open.RampTo)
		}
	}
	return what
}

// nextView is the command that shows most of what was recorded: what a flight recorder holds has no CPU
// profile.
func nextView(m recording.Meta) string {
	has := func(name string) bool {
		return slices.ContainsFunc(m.Parts, func(p recording.Part) bool { return p.Name == name })
	}
	if has(recording.TracePart) && !has("profiles/cpu.pb.gz") {
		return "whet trace requests"
	}
	return "whet top"
}

func interruptedNote(m recording.Meta) string {
	if m.Interrupted {
		return ", interrupted"
	}
	return ""
}

// aboutTarget is one line on what was recorded.
func aboutTarget(m recording.Meta) string {
	var f []string
	if b := m.Build; b != nil && b.Main.Path != "" {
		f = append(f, "module "+b.Main.Path)
	}
	if m.GoVersion != "" {
		v := m.GoVersion
		if m.GOOS != "" {
			v += " " + m.GOOS + "/" + m.GOARCH
		}
		f = append(f, v)
	}
	if m.GOMAXPROCS > 0 {
		f = append(f, fmt.Sprintf("GOMAXPROCS %d", m.GOMAXPROCS))
	}
	if m.Target.PID > 0 {
		f = append(f, fmt.Sprintf("pid %d", m.Target.PID))
	}
	return Clean(strings.Join(f, ", "))
}

// recordedParts names the parts, profiles first, the many source files as a
// number.
func recordedParts(t *text, m recording.Meta) {
	var profiles, others []string
	packages := map[string]bool{}
	sources := 0
	for _, p := range m.Parts {
		note := ""
		if strings.Contains(p.Note, "incomplete") || strings.Contains(p.Note, "early") {
			note = " (" + p.Note + ")"
		}
		name := strings.TrimSuffix(strings.TrimPrefix(p.Name, "profiles/"), ".pb.gz")
		switch {
		case p.Kind == recording.KindSource:
			sources++
		case strings.Contains(name, "/"):
			packages[path.Dir(name)] = true
		case p.Kind == recording.KindProfile:
			profiles = append(profiles, name+note)
		case p.Kind == recording.KindTrace:
			others = append(others, fmt.Sprintf("trace of %s (%s)%s", unit.Duration(p.End.Sub(p.Start).Round(time.Millisecond)), unit.Bytes(p.Bytes), note))
		case p.Name == recording.CodePart:
			others = append(others, "machine code")
		case p.Name == recording.MemStatsEndPart:
			others = append(others, "memory statistics")
		case p.Name == recording.BenchPart:
			if p.Note != "" {
				note = " (" + p.Note + ")"
			}
			others = append(others, p.Name+note)
		}
	}
	if sources > 0 {
		others = append(others, fmt.Sprintf("%d source files", sources))
	}
	slices.Sort(profiles)
	if len(profiles) > 0 {
		t.line("profiles   ", Clean(strings.Join(profiles, ", ")))
	}
	if len(packages) > 0 {
		t.line(fmt.Sprintf("packages   %d, each with its own profiles and trace", len(packages)))
	}
	if len(others) > 0 {
		t.line("also       ", Clean(strings.Join(others, ", ")))
	}
}
