package modernized

import (
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/modernize"

	"github.com/whet-go/whet/find/diagnosis"
	"github.com/whet-go/whet/internal/find/candidates/sites"
)

// A source is an analyzer whose fixes may make code faster.
type source struct {
	analyzer           *analysis.Analyzer
	title, why, assume string
	kinds              []diagnosis.Kind
}

func sources() []source {
	const (
		same   = "the analyzer keeps the behavior"
		copied = "one call of the standard library copies or compares several elements at once"
	)
	return []source{
		{
			modernize.StringsBuilderAnalyzer, "string grown by +=", "a strings.Builder has spare capacity to grow into", same,
			[]diagnosis.Kind{diagnosis.Concatenation, diagnosis.Allocation, diagnosis.Copying},
		},
		{
			modernize.StringsCutAnalyzer, "text searched, and then sliced", "strings.Cut searches once", same,
			[]diagnosis.Kind{diagnosis.Text, diagnosis.Comparison, diagnosis.Own},
		},
		{
			modernize.StringsCutPrefixAnalyzer, "prefix compared, and then cut off", "strings.CutPrefix compares once", same,
			[]diagnosis.Kind{diagnosis.Text, diagnosis.Comparison, diagnosis.Own},
		},
		{
			modernize.MapsLoopAnalyzer, "map copied entry by entry", "maps.Copy and maps.Clone copy the table", same,
			[]diagnosis.Kind{diagnosis.MapAccess, diagnosis.MapGrowth, diagnosis.Own},
		},
		{
			modernize.SlicesContainsAnalyzer, "slice searched by a loop", "slices.Contains is compiled for the type", same,
			[]diagnosis.Kind{diagnosis.Own, diagnosis.Comparison},
		},
		{
			modernize.SlicesSortAnalyzer, "slice sorted through reflection", "slices.Sort is compiled for the type",
			"equal elements cannot be told apart",
			[]diagnosis.Kind{diagnosis.Sorting, diagnosis.Reflection},
		},
		{
			modernize.AppendClippedAnalyzer, "slice copied by append", copied,
			"no code depends on the capacity, or on nil instead of empty",
			[]diagnosis.Kind{diagnosis.SliceGrowth, diagnosis.Allocation, diagnosis.Copying},
		},
		{
			modernize.FmtAppendfAnalyzer, "text formatted, and then converted to bytes", "fmt.Appendf formats into the bytes",
			"no code depends on nil instead of empty",
			[]diagnosis.Kind{diagnosis.Formatting, diagnosis.Conversion, diagnosis.Allocation},
		},
	}
}

// Requires returns the analyzers whose results those of the generators need.
func Requires() (list []*analysis.Analyzer) {
	for _, s := range sources() {
		for _, a := range s.analyzer.Requires {
			if !slices.Contains(list, a) {
				list = append(list, a)
			}
		}
	}
	return list
}

// Generators returns the generators of the package.
func Generators() (list []*sites.Generator) {
	for _, one := range sources() {
		list = append(list, &sites.Generator{
			Name: "modernize-" + one.analyzer.Name, Title: one.title, Why: one.why, Assumes: one.assume, Kinds: one.kinds,
			Propose: func(s *sites.Site) (list []sites.Proposal) {
				for _, d := range s.Diagnostics(one.analyzer) {
					for _, fix := range d.SuggestedFixes {
						if touches(s, d, fix) {
							list = append(list, sites.Proposal{Message: fix.Message, Edits: fix.TextEdits})
						}
					}
				}
				return list
			},
		})
	}
	return list
}

// touches reports whether a diagnostic is about the line, or its fix changes it.
func touches(s *sites.Site, d analysis.Diagnostic, fix analysis.SuggestedFix) bool {
	covers := func(from, to int) bool { return from <= s.Line && s.Line <= to }
	if s.Pass.Fset.File(d.Pos).Name() != s.File {
		return false
	}
	end := d.End
	if !end.IsValid() {
		end = d.Pos
	}
	return covers(s.LineOf(d.Pos), s.LineOf(end)) || slices.ContainsFunc(fix.TextEdits, func(e analysis.TextEdit) bool {
		return e.End > e.Pos && covers(s.LineOf(e.Pos), s.LineOf(e.End))
	})
}
