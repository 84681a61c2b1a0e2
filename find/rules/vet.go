package rules

import "golang.org/x/tools/go/analysis"

// Vet returns the rule's analyzer for use without a profile. It omits what only a profile can show
// to be expensive (Cause.Profiled), unless every returns true when the analyzer runs, and the reasons for
// having no fix.
func (r *Rule) Vet(every func() bool) *analysis.Analyzer {
	a := *r.Analyzer
	a.Run = func(pass *analysis.Pass) (any, error) {
		quiet := *pass
		quiet.Report = func(d analysis.Diagnostic) {
			if c := r.Cause(d.Category); c == nil || !c.Profiled || every() {
				d.Related = nil
				pass.Report(d)
			}
		}
		return r.Analyzer.Run(&quiet)
	}
	return &a
}
