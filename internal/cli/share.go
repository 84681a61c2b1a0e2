package cli

import (
	"strconv"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/unit"
)

// share is a flag for a share of a whole: 2%, or 0.02.
type share float64

func (s *share) String() string {
	if *s == 0 {
		return "0" // which help omits as a default
	}
	return strconv.FormatFloat(float64(*s)*100, 'g', 4, 64) + "%"
}

func (s *share) Set(text string) error {
	v, err := unit.ParseShare(text)
	*s = share(v)
	return err
}

func (*share) Type() string { return "PERCENT" }

// checkPrecision rejects a --precision that no measurement reaches, or that is meaningless.
func checkPrecision(op string, precision share) error {
	if !(precision > 0 && precision < 1) {
		return diag.Usagef(op, "--precision must be above 0% and below 100%", "omit it for the default")
	}
	return nil
}
