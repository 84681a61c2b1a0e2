package cli

import (
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// limitFlags are the flags of what clients may store. Zero fields mean the defaults.
type limitFlags struct {
	MaxRate    float64
	MaxSeries  int
	MaxBody    byteSize
	MaxSamples int
	MaxLabels  int
}

func (f *limitFlags) registerLimits(fs *pflag.FlagSet) {
	fs.Float64Var(&f.MaxRate, "max-rate", 0, "store at most `N` profiles per second and tenant (default: any)")
	fs.IntVar(&f.MaxSeries, "max-series", 0, "store at most `N` series per tenant (default: 10000)")
	fs.Var(&f.MaxBody, "max-body", "receive requests of at most `SIZE` (default: 64MB)")
	fs.IntVar(&f.MaxSamples, "max-samples", 0, "store profiles of at most `N` samples (default: 1000000)")
	fs.IntVar(&f.MaxLabels, "max-labels", 0, "store profiles with at most `N` labels (default: 32)")
}

// given reports whether a limit is set.
func (f *limitFlags) given() bool { return *f != limitFlags{} }

// limits returns the limits of the store and of requests.
func (f *limitFlags) limits() (store.Limits, error) {
	if f.MaxRate < 0 || f.MaxSeries < 0 || f.MaxSamples < 0 || f.MaxLabels < 0 || f.MaxBody < 0 {
		return store.Limits{}, diag.Usagef("serve", "--max-rate, --max-series, --max-body, --max-samples and --max-labels "+
			"must not be negative", "leave them out for the defaults")
	}
	return store.Limits{
		ProfileRate: f.MaxRate, Series: f.MaxSeries, Body: int64(f.MaxBody), Samples: f.MaxSamples, Labels: f.MaxLabels,
	}, nil
}
