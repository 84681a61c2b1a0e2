package goamd64

import (
	_ "embed"
	"fmt"
	"regexp"

	"github.com/whet-go/whet/find/rules"
)

//go:embed doc.go
var doc string

const (
	// leastBits is the minimum share of the CPU time in functions that become single instructions.
	leastBits = 0.02
	// leastOwn is the minimum share in own code itself, and gain the maximum saving on that share.
	leastOwn = 0.50
	gain     = 0.05
)

// New returns the rule.
func New() *rules.Rule {
	return &rules.Rule{
		Analyzer: rules.OfProgram("goamd64", "report programs that are built for older CPUs than they run on"),
		Causes:   []rules.Cause{{Title: "built for the 2003 baseline (GOAMD64=v1)", Needs: rules.Settings}},
		Judge:    judge,
		Doc:      rules.ParseDoc(doc),
	}
}

func judge(p *rules.Program) []rules.Verdict {
	if !p.Command || p.Settings["GOAMD64"] != "v1" || p.Level < "v3" || p.CPU == 0 {
		return nil
	}
	v := rules.Verdict{Setting: rules.Setting{Build: []string{"GOAMD64=v3"}}}
	bits := p.Share(regexp.MustCompile(
		`^(math/bits\.(OnesCount|LeadingZeros|TrailingZeros|Len|RotateLeft)|math\.(FMA|Floor|Ceil|Trunc|RoundToEven)$)`,
	))
	switch {
	case bits >= leastBits:
		v.Share, v.Saving = bits, bits
		v.Message = fmt.Sprintf(
			"%.0f percent of the CPU time is in functions that are single instructions on this CPU",
			100*bits,
		)
	case p.Own >= leastOwn:
		v.Share, v.Saving = p.Own, gain*p.Own
		v.Message = fmt.Sprintf(
			"%.0f percent of the CPU time is in own code itself, "+
				"and the compiler may not use what this CPU supports",
			100*p.Own,
		)
	default:
		return nil
	}
	v.Message += ". Measure it: it may make no difference. " +
		"All machines must support GOAMD64=v3 (Intel since 2013, AMD since 2015)"
	return []rules.Verdict{v}
}
