package findings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/dependencies"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/report/blocks"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/unit"
)

// Explanations of what is about dependencies.
const (
	alternativesNote = "Alternatives are exported functions whose names and types fit the call. Whether one is faster " +
		"for this program was not measured."
	upstreamNote = "These rewrites are for the authors of the dependency, and apply to a copy of it. Neither your " +
		"module nor the module cache is changed."
	shownCalls = 5 // in text; JSON has all
)

// dependencySection describes calls of other modules that cost.
func dependencySection(calls []dependencies.Call) []blocks.Block {
	if len(calls) == 0 {
		return nil
	}
	s := blocks.Section{
		ID: "dependencies", Kind: "dependencies", Title: blocks.Text{blocks.Plain("Into dependencies")},
	}
	alternatives := false
	for i := range calls[:min(len(calls), shownCalls)] {
		c := &calls[i]
		alternatives = alternatives || len(c.Alternatives) > 0
		s.Blocks = append(s.Blocks, callSection(i+1, c))
	}
	if alternatives {
		s.Blocks = append(s.Blocks, blocks.Note{blocks.Plain(alternativesNote)})
	}
	if more := len(calls) - shownCalls; more > 0 {
		s.Blocks = append(s.Blocks, blocks.Note{blocks.Plain(
			layout.Plural(more, "more call is", "more calls are") + " in the JSON document",
		)})
	}
	return []blocks.Block{s}
}

// callSection describes a call of another module: what it costs, its hottest lines, what it does, and other ways
// to call it.
func callSection(n int, c *dependencies.Call) blocks.Section {
	facts := blocks.List{amountText(c)}
	if c.PerRequest > 0 {
		facts = append(facts, blocks.Text{
			blocks.Plain("CPU time per request: " + unit.Duration(time.Duration(c.PerRequest))),
		})
	}
	var does []string
	for _, w := range c.Work {
		text := string(w.Kind) + " " + layout.SharePercent(w.Share)
		var names []string
		for _, f := range w.Functions {
			names = append(names, layout.ShortName(f))
		}
		if len(names) > 0 {
			text += " (" + strings.Join(names, ", ") + ")"
		}
		does = append(does, text)
	}
	if len(does) > 0 {
		facts = append(facts, blocks.Text{blocks.Plain("there: " + strings.Join(does, ", "))})
	}
	for _, x := range c.Counts {
		text := fmt.Sprintf("%s: about %d in the recording", x.What, x.Times)
		if x.PerRequest > 0 {
			text += fmt.Sprintf(", %.3g per request", x.PerRequest)
		}
		facts = append(facts, blocks.Text{blocks.Plain(text)})
	}
	for _, a := range c.Alternatives {
		facts = append(facts, alternativeText(&a))
	}
	if c.Unread != "" {
		facts = append(facts, blocks.Text{blocks.Plain("its source was not read: " + c.Unread)})
	}
	lines := blocks.Entries{Most: len(c.Hottest)}
	for _, l := range c.Hottest {
		lines.List = append(lines.List, blocks.Entry{
			Share: layout.SharePercent(l.Share), Code: l.Code,
			Location: blocks.Location{Where: moduleText(l.Module, l.Version, fmt.Sprintf("%s:%d", l.File, l.Line))},
			Text:     layout.ShortName(l.Function),
		})
	}
	return blocks.Section{
		ID: fmt.Sprintf("dependency%d", n), Kind: "dependencies",
		Title:  blocks.Text{blocks.Plain(fmt.Sprintf("%s:%d calls %s", c.File, c.Line, layout.ShortName(c.Callee)))},
		Blocks: []blocks.Block{facts, lines},
	}
}

// amountText describes what a call costs, and where it goes.
func amountText(c *dependencies.Call) blocks.Text {
	var parts layout.Facts
	if c.CPU.Share > 0 {
		parts = append(parts, "CPU "+layout.SharePercent(c.CPU.Share))
	}
	if c.Memory.Share > 0 {
		parts = append(parts, "allocated "+layout.SharePercent(c.Memory.Share))
	}
	return blocks.Text{
		blocks.Strong(strings.Join(parts, " · ")), blocks.Plain(" in "), blocks.Name(moduleText(c.Module, c.Version, "")),
	}
}

// moduleText names a module with its version, and a file in it.
func moduleText(path, version, file string) string {
	if path == "" {
		if file == "" {
			return "another module"
		}
		return file
	}
	if version != "" {
		path += "@" + version
	}
	return strings.TrimSuffix(path+"/"+file, "/")
}

// alternativeText describes another way to call a dependency.
func alternativeText(a *dependencies.Alternative) blocks.Text {
	text := blocks.Text{
		blocks.Plain("another way: "), blocks.Name(a.Name),
		blocks.Plain(strings.TrimPrefix(a.Signature, "func") + " " + string(a.Form)),
	}
	if a.With != "" {
		text = append(text, blocks.Plain(", with "), blocks.Name(a.With),
			blocks.Plain(strings.TrimPrefix(a.WithSignature, "func")))
	}
	if a.Doc != "" {
		text = append(text, blocks.Plain(": "+a.Doc))
	}
	return text
}

// upstreamSections describes what was found in copies of dependencies, apart from what was found in the module.
func upstreamSections(results []*find.Result) (list []blocks.Block) {
	for i, r := range results {
		id := fmt.Sprintf("u%d", i+1)
		s := blocks.Section{
			ID: id, Kind: "upstream",
			Title: blocks.Text{blocks.Plain("For upstream: "), blocks.Name(moduleText(r.Module, r.Version, ""))},
		}
		rewrites := 0
		groups := alike(slices.DeleteFunc(slices.Clone(r.Findings), func(f find.Finding) bool { return !f.Rewrites() }))
		for n, g := range groups {
			one := findingSection(n+1, g, r.PerRequest, groupNumbers(groups))
			one.ID = id + one.ID
			s.Blocks = append(s.Blocks, one)
			rewrites++
		}
		for _, b := range candidateSection(r.Candidates, proveCandidates+" --dependencies") {
			if c, ok := b.(blocks.Section); ok {
				rewrites++
				c.Blocks = slices.Clone(c.Blocks[1:]) // the note above is about them, too
				c.ID = id + c.ID
				for k := range c.Blocks {
					if inner, ok := c.Blocks[k].(blocks.Section); ok {
						inner.ID = id + inner.ID
						c.Blocks[k] = inner
					}
				}
				s.Blocks = append(s.Blocks, c)
			}
		}
		note := blocks.Note{
			blocks.Plain(upstreamNote + " "), blocks.Command("whet fix --dependencies RECORDING"),
			blocks.Plain(" tries them, and keeps those that it proves."),
		}
		if rewrites == 0 {
			note = blocks.Note{blocks.Plain("No rule or generator has a change of its hot lines.")}
		}
		for _, w := range r.Warnings {
			if len(r.Totals) == 0 {
				note = blocks.Note{blocks.Plain(upperFirst(w.Text) + ".")}
			}
		}
		s.Blocks = append([]blocks.Block{note}, s.Blocks...)
		list = append(list, s)
	}
	return list
}

// upstreamFixes describes the outcomes in copies of dependencies.
func upstreamFixes(results []*fix.Result) (list []blocks.Block) {
	for i, r := range results {
		id := fmt.Sprintf("u%d", i+1)
		inner := Fix(r)
		s := blocks.Section{
			ID: id, Kind: "upstream",
			Title: blocks.Text{
				blocks.Plain("For upstream: "), blocks.Name(moduleText(r.Module, r.Version, "")),
				blocks.Plain(", " + fixHeadline(r)),
			},
			Blocks: []blocks.Block{blocks.Note{blocks.Plain(upstreamNote)}},
		}
		for _, w := range r.Warnings {
			if r.Rounds == 0 { // nothing was tried: they say why
				s.Blocks = append(s.Blocks, blocks.Prose{blocks.Plain(upperFirst(w.Text) + ".")})
			}
		}
		for _, b := range inner.Blocks {
			if one, ok := b.(blocks.Section); ok && one.ID != "" {
				one.ID = id + one.ID
				b = one
			}
			s.Blocks = append(s.Blocks, b)
		}
		list = append(list, s)
	}
	return list
}
