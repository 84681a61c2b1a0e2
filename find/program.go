package find

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/recording"
)

// A Target is what is known about a recorded program in addition to its profiles. Rules whose
// inputs are missing do not judge it.
type Target struct {
	Build *recording.Build // nil if unknown
	// Go is the version that built it, in the form of runtime.Version; "" if unknown.
	Go string
	// Level is the GOAMD64 level that the machine it ran on supports, v1 to v4; "" if unknown.
	Level string
	// Before and After are runtime.MemStats at both ends of the window, as in recordings
	// (recording.MemStatsStartPart, recording.MemStatsEndPart); nil if not recorded.
	Before, After []byte
}

// judge runs the rules about whole programs.
//
// Settings are credited only with what the findings about lines leave, so that savings can be added
// up.
func (f *finder) judge(cpu *profile.Profile) {
	p := f.program(cpu)
	left, garbage := 1.0, f.background-f.fewerCollections()
	for _, x := range f.result.Findings {
		left -= x.Saving
	}
	for _, r := range f.o.Rules {
		if r.Judge == nil {
			continue
		}
		for _, v := range r.Judge(p) {
			c := r.Cause(v.Category)
			if c == nil {
				f.result.Warnings = append(f.result.Warnings,
					fmt.Errorf("rule %s reports the category %q, which it does not list", r.Analyzer.Name, v.Category))
				continue
			}
			if max(v.Share, v.Saving) < f.o.MinShare {
				continue
			}
			x := Finding{
				ID: r.Analyzer.Name + "/" + causeKey(r.Analyzer.Name, v.Category), Rule: r.Analyzer.Name, Title: c.Title,
				Why: v.Message, Safe: r.Doc.Safety, Needs: c.Needs, Alone: v.Saving, Fix: settingFix(v.Setting),
				Places: []Place{}, Evidence: []Evidence{}, Identity: Identity{Rule: r.Analyzer.Name, Category: v.Category},
			}
			of := func(share float64) []Evidence {
				return []Evidence{{Cost: CPU, Value: int64(share * float64(p.CPU)), Share: share}}
			}
			switch {
			case v.Collector:
				// The collector's work in goroutines that allocate is charged to their lines.
				own := max(0, min(v.Share-share(f.assisting, int64(p.CPU)), v.Share))
				rest := max(0, min(own, own-f.background+garbage))
				x.Saving = v.Saving * rest / v.Share
				x.Evidence = of(own)
				if shared := v.Share - own; shared > 0 {
					x.Shared = []Shared{{Evidence: of(shared)}}
				}
			default:
				x.Saving = v.Saving * max(0, left)
				if v.Share > 0 {
					x.Shared = []Shared{{Evidence: of(v.Share)}}
				}
			}
			left -= x.Saving
			f.result.Findings = append(f.result.Findings, x)
		}
	}
}

// fewerCollections returns the share of the CPU time that the collector's own goroutines save if
// nothing that findings are about is allocated: it counts for those findings.
func (f *finder) fewerCollections() float64 {
	sum := 0.0
	for _, x := range f.result.Findings {
		for _, e := range x.Evidence {
			if e.Cost == AllocSpace {
				sum += f.background * e.Share
			}
		}
	}
	return sum
}

// settingFix returns a fix that consists of a setting.
func settingFix(s rules.Setting) *Fix {
	var how []string
	if len(s.Build) > 0 {
		how = append(how, "Build it with "+strings.Join(s.Build, " "))
	}
	if len(s.Run) > 0 {
		how = append(how, "Run it with "+strings.Join(s.Run, " "))
	}
	return &Fix{Message: strings.Join(how, ". "), Setting: &s}
}

// program returns the input of rules about whole programs.
func (f *finder) program(cpu *profile.Profile) *rules.Program {
	t := &f.o.Target
	p := &rules.Program{
		Level: t.Level, Go: t.Go, Newest: runtime.Version(), Share: func(*regexp.Regexp) float64 { return 0 },
	}
	if t.Build != nil {
		p.Command = !strings.HasSuffix(t.Build.Path, ".test")
		p.Settings = map[string]string{}
		for _, s := range t.Build.Settings {
			p.Settings[s.Key] = s.Value
		}
	}
	for _, l := range f.ledgers {
		if l.cost != CPU {
			continue
		}
		p.CPU, p.Own, p.Below = time.Duration(l.total), share(l.itself, l.total), share(l.own, l.total)
		p.Collecting = share(l.gc.Total(), l.total)
		p.Samples = cpu.NumSamples()
		if typ, err := cpu.TypeIndex("samples"); err == nil {
			p.Samples = 0
			for i := range cpu.NumSamples() {
				p.Samples += int(cpu.Value(i, typ))
			}
		}
		p.Share = func(re *regexp.Regexp) float64 { return share(below(cpu, l.typ, re), l.total) }
	}
	after, err := parseMemStats(t.After)
	before, err2 := parseMemStats(t.Before)
	for _, err := range []error{err, err2} {
		if err != nil {
			f.result.Warnings = append(f.result.Warnings, fmt.Errorf("the runtime's statistics: %w", err))
		}
	}
	if after != nil {
		p.Heap = &rules.Heap{Goal: after["NextGC"], System: after["Sys"]}
		if before != nil {
			p.Heap.Collections = after["NumGC"] - before["NumGC"]
			p.Heap.Paused = time.Duration(after["PauseTotalNs"] - before["PauseTotalNs"])
		}
	}
	return p
}

// below sums a value over the samples that have a matching function in their stacks.
func below(p *profile.Profile, typ int, re *regexp.Regexp) int64 {
	matches := make([]bool, len(p.Functions))
	for i, f := range p.Functions {
		matches[i] = re.MatchString(f.Name)
	}
	var sum int64
	var stack []uint32
	for i := range p.NumSamples() {
		stack = p.AppendStack(stack[:0], i)
	frames:
		for _, loc := range stack {
			at := p.Locations[loc]
			for _, ln := range p.Lines[at.First : at.First+at.Num] {
				if ln.Function != profile.None && matches[ln.Function] {
					sum += p.Value(i, typ)
					break frames
				}
			}
		}
	}
	return sum
}

// parseMemStats parses lines in the form of the heap profile's text format, "# Name = value", and
// returns the integer values by name; nil for an empty text.
func parseMemStats(text []byte) (map[string]int64, error) {
	if text == nil {
		return nil, nil //nolint:nilnil // no statistics are no error
	}
	values := map[string]int64{}
	for line := range bytes.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimPrefix(string(line), "# "), " = ")
		if !ok {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
			values[strings.TrimSpace(name)] = n
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("there is no line such as # NumGC = 3 in %d bytes", len(text))
	}
	return values, nil
}
