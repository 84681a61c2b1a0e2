package find

import (
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/whet-go/whet/find/rules"
	"github.com/whet-go/whet/profile"
)

// judge runs the rules about whole programs. found are the findings about lines, and assisting what
// they claim of the collector's CPU time.
//
// Settings are credited only with what the findings about lines leave, so that savings can be added
// up.
func (s *ruleset) judge(
	p *rules.Program, c *lineCosts, found []Finding, assisting int64,
) (judged []Finding, invalid []error) {
	left, garbage := 1.0, c.background-c.fewerCollections(found)
	for i := range found {
		left -= found[i].Saving
	}
	of := func(share float64) []Evidence {
		return []Evidence{{Cost: CPU, Value: int64(share * float64(p.CPU)), Share: share}}
	}
	for _, r := range s.rules {
		if r.Judge == nil {
			continue
		}
		for _, v := range r.Judge(p) {
			cause := r.Cause(v.Category)
			if cause == nil {
				invalid = append(invalid, unlisted(r, v.Category))
				continue
			}
			if max(v.Share, v.Saving) < c.minShare {
				continue
			}
			x := Finding{
				ID: r.Analyzer.Name + "/" + causeKey(r.Analyzer.Name, v.Category), Rule: r.Analyzer.Name, Title: cause.Title,
				Why: v.Message, Safe: r.Doc.Safety, Needs: cause.Needs, Alone: v.Saving, Fix: settingFix(v.Setting),
				Places: []Place{}, Evidence: []Evidence{}, Identity: Identity{Rule: r.Analyzer.Name, Category: v.Category},
			}
			switch {
			case v.Collector:
				// The collector's work in goroutines that allocate is charged to their lines.
				own := max(0, min(v.Share-share(assisting, int64(p.CPU)), v.Share))
				rest := max(0, min(own, own-c.background+garbage))
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
			judged = append(judged, x)
		}
	}
	return judged, invalid
}

// fewerCollections returns the share of the CPU time that the collector's own goroutines save if
// nothing that findings are about is allocated: it counts for those findings.
func (c *lineCosts) fewerCollections(found []Finding) float64 {
	sum := 0.0
	for i := range found {
		for _, e := range found[i].Evidence {
			if e.Cost == AllocSpace {
				sum += c.background * e.Share
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

// newProgram returns the input of rules about whole programs, and what of it cannot be read.
func newProgram(cpu *profile.Profile, c *lineCosts, t *Target) (p *rules.Program, unread []error) {
	p = &rules.Program{
		Level: t.Level, Go: t.Go, Newest: runtime.Version(), Share: func(*regexp.Regexp) float64 { return 0 },
	}
	if t.Build != nil {
		p.Command = !strings.HasSuffix(t.Build.Path, ".test")
		p.Settings = map[string]string{}
		for _, s := range t.Build.Settings {
			p.Settings[s.Key] = s.Value
		}
	}
	if l := c.ledger(CPU); l != nil {
		p.CPU, p.Own, p.Below = time.Duration(l.total), share(l.itself, l.total), share(l.own, l.total)
		p.Collecting = share(l.gc.Total(), l.total)
		p.Samples = cpu.NumSamples()
		if typ, err := cpu.TypeIndex("samples"); err == nil {
			p.Samples = 0
			for i := range cpu.NumSamples() {
				p.Samples += int(cpu.Value(i, typ))
			}
		}
		p.Share = func(re *regexp.Regexp) float64 { return share(cpu.Below(l.typ, re), l.total) }
	}
	p.Heap, unread = rules.NewHeap(t.Before, t.After)
	return p, unread
}
