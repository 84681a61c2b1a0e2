package recordings

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/collect/documents"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/profiles"
	"github.com/whet-go/whet/load"
	"github.com/whet-go/whet/recording"
	"github.com/whet-go/whet/unit"
)

// WriteRecord writes d as text.
func WriteRecord(w io.Writer, s layout.Style, d documents.Record) error {
	t := layout.NewWriter(w)
	m := d.Meta
	writeHead(t, s, d.Path, d.Bytes, m)
	writeLoad(t, d.Load)
	if d.Collector != nil {
		t.Line("collector  ", profiles.CollectorText(*d.Collector))
	}
	missingParts(t, s, m)
	t.Line()
	t.Line("next: ", nextView(m), " ", d.Path)
	return t.Result()
}

// writeLoad describes the load that was sent, if there was one.
func writeLoad(t *layout.Writer, l *load.Result) {
	if l == nil {
		return
	}
	failed := ""
	if by := l.Failures(); by != "" {
		failed = " (" + by + ")"
	}
	t.Line(fmt.Sprintf("load       %s requests, %.0f/s, p50 %s, p99 %s, max %s, %d failed%s", unit.Count(l.Requests),
		l.Rate,
		unit.Duration(l.Latency.P50), unit.Duration(l.Latency.P99), unit.Duration(l.Latency.Max), l.Failed()+
			l.Errors.Total(), failed))
	t.Line("sent       ", layout.Clean(sentBy(l)))
}

// missingParts lists what could not be recorded.
func missingParts(t *layout.Writer, s layout.Style, m recording.Meta) {
	if len(m.Missing) == 0 {
		return
	}
	t.Line()
	t.Line("not recorded:")
	width := 0
	for _, miss := range m.Missing {
		width = max(width, layout.Columns(miss.Part))
	}
	for _, miss := range m.Missing {
		t.Line("  ", layout.Left(miss.Part, width), "  ", layout.Clean(miss.Reason))
		if miss.Hint != "" {
			t.Line("  ", layout.Spaces(width), "  ", s.Paint(layout.Cyan, layout.Clean(miss.Hint)))
		}
	}
}

// sentBy describes the requests that a load was made of.
func sentBy(l *load.Result) string {
	what := layout.Facts{cmp.Or(l.Method, "various methods")}
	if len(l.Targets) == 1 {
		what[0] += " " + l.Targets[0]
	} else {
		what.Add(" to %d targets", len(l.Targets))
	}
	what.If(l.Sent.Body > 0, ", body %s", unit.Bytes(l.Sent.Body))
	what.If(len(l.Sent.Headers) > 0, ", header %s", strings.Join(l.Sent.Headers, " "))
	what.If(l.Sent.Rows > 0, ", %d rows of variables", l.Sent.Rows)
	what.Add(", %d connections", l.Connections)
	if l.Open != nil {
		what.Add(", %g/s", l.Open.Rate)
		what.If(l.Open.RampTo > 0, " to %g/s", l.Open.RampTo)
	}
	return what.String()
}

// nextView returns the command that shows most of the recording: a flight recorder has no CPU
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

// writeHead writes what was recorded: the file, the target and the parts.
func writeHead(t *layout.Writer, s layout.Style, path string, bytes int64, m recording.Meta) {
	interrupted := ""
	if m.Interrupted {
		interrupted = ", interrupted"
	}
	t.Line(s.Paint(layout.Bold, path), "  ", layout.Clean(m.Target.String()), ", ",
		unit.Duration(m.Duration.Round(time.Millisecond)), ", ", unit.Bytes(bytes).String(), interrupted)
	if about := aboutTarget(m); about != "" {
		t.Line(s.Paint(layout.Dim, about))
	}
	recordedParts(t, m)
}

// aboutTarget describes in one line what was recorded.
func aboutTarget(m recording.Meta) string {
	var f layout.Facts
	if b := m.Build; b != nil {
		f.If(b.Main.Path != "", "module %s", b.Main.Path)
	}
	if m.GOOS == "" {
		f.If(m.GoVersion != "", "%s", m.GoVersion)
	} else {
		f.If(m.GoVersion != "", "%s %s/%s", m.GoVersion, m.GOOS, m.GOARCH)
	}
	f.If(m.GOMAXPROCS > 0, "GOMAXPROCS %d", m.GOMAXPROCS)
	f.If(m.Target.PID > 0, "pid %d", m.Target.PID)
	return layout.Clean(strings.Join(f, ", "))
}

// recordedParts lists the parts, profiles first, with source files only as a number.
func recordedParts(t *layout.Writer, m recording.Meta) {
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
		case p.Name == recording.ArgumentsPart:
			others = append(others, "arguments")
		case strings.Contains(name, "/"):
			packages[path.Dir(name)] = true
		case p.Kind == recording.KindProfile:
			profiles = append(profiles, name+note)
		case p.Kind == recording.KindTrace:
			others = append(others, fmt.Sprintf("trace of %s (%s)%s", unit.Duration(p.End.Sub(p.Start).Round(time.Millisecond)),
				unit.Bytes(p.Bytes), note))
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
		t.Line("profiles   ", layout.Clean(strings.Join(profiles, ", ")))
	}
	if len(packages) > 0 {
		t.Line(fmt.Sprintf("packages   %d, each with its own profiles and trace", len(packages)))
	}
	if len(others) > 0 {
		t.Line("also       ", layout.Clean(strings.Join(others, ", ")))
	}
}
