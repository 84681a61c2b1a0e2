package toolchain

import (
	_ "embed"
	"fmt"
	"go/version"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/find/rules"
)

//go:embed doc.go
var doc string

// An improvement is something that a release made faster.
type improvement struct {
	since string // the release
	what  string
	in    *regexp.Regexp // functions that became faster, including everything they call
	less  float64        // maximum saving as a share of their time
}

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: rules.OfProgram("toolchain", "report programs that are built with an old Go version"),
		Causes:   []rules.Cause{{Title: "built with an old Go version", Needs: rules.Settings}},
		Judge:    judge,
		Doc:      rules.ParseDoc(doc),
	}
}

// improvements returns those that doc.go names.
func improvements() []improvement {
	return []improvement{
		{"go1.24", "maps", regexp.MustCompile(`^runtime\.map(access|assign|delete)`), 1 - 1/1.6},
		{"go1.26", "garbage collection", regexp.MustCompile(`^runtime\.(gcBgMarkWorker|gcAssistAlloc)$`), 0.4},
		{"go1.27", "decoding JSON", regexp.MustCompile(`^encoding/json\.(Unmarshal|\(\*Decoder\)\.Decode)$`), 1 - 1/3.0},
	}
}

func judge(p *rules.Program) []rules.Verdict {
	if !p.Command || p.CPU == 0 || !version.IsValid(p.Go) || !released(p.Newest) || version.Compare(p.Go, p.Newest) >= 0 {
		return nil
	}
	var share, saving float64
	var what []string
	for _, i := range improvements() {
		if version.Compare(version.Lang(p.Go), i.since) >= 0 || version.Compare(p.Newest, i.since) < 0 || has(p, i.since) {
			continue
		}
		if s := p.Share(i.in); s > 0 {
			share += s
			saving += s * i.less
			what = append(what, fmt.Sprintf(
				"%s (%.1f percent of the CPU time here, up to %.0f percent of that less since %s)",
				i.what, 100*s, 100*i.less, i.since,
			))
		}
	}
	if saving == 0 {
		return nil
	}
	return []rules.Verdict{{
		Message: fmt.Sprintf("the program is built with %s; newer releases are faster at %s", p.Go, strings.Join(what, ", ")),
		Share:   share,
		Saving:  saving,
		Setting: rules.Setting{Build: []string{"GOTOOLCHAIN=" + p.Newest}},
	}}
}

// released reports whether a version is a release: not a candidate, and not built from a
// repository.
func released(v string) bool {
	return version.IsValid(v) &&
		!strings.Contains(v, "rc") && !strings.Contains(v, "beta") &&
		!strings.ContainsAny(v, " -+")
}

// has reports whether the program is built with the experiment that became the default in a
// release.
func has(p *rules.Program, since string) bool {
	name := map[string]string{"go1.24": "swissmap", "go1.26": "greenteagc", "go1.27": "jsonv2"}[since]
	return slices.Contains(strings.Split(p.Settings["GOEXPERIMENT"], ","), name)
}
