package cli

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report/layout"
	"github.com/whet-go/whet/internal/report/stores"
	"github.com/whet-go/whet/internal/store/documents"
	"github.com/whet-go/whet/internal/store/remote"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

func (a *app) queryRegressionsCommand() *cobra.Command {
	f := &queryFlags{}
	var o regressions.Options
	webhook, fail := "", false
	long := `Find own lines and functions whose share of the cost has changed: after each
deploy, which is when the version label or the build ID of a service changes, and
at other times. The noise is that between instances and between hours, and what
repeats every day is removed if there are two days or more. The false discovery
rate is set to 0.1%; in generated fleets, 1% of what is reported was noise, and
13% where costs follow the load three times as much.

Cost that moved between functions is reported as a shift, and changes that went
away again are listed apart. --repo lists the commits between two builds whose
versions, or labels such as vcs_revision, name commits or tags.`
	cmd := a.listing("regressions [SELECTOR]", "Find what became more expensive, by deploy and over time", long,
		"  whet query regressions '{service=\"shop\"}' --store profiles --from 2026-01-01\n"+
			"  whet query regressions --store profiles --since 168h --fail --webhook http://localhost:9093/api/v2/alerts", f,
		func(ctx context.Context, s store.Store, q store.Query, sample string) error {
			if o.Step < 0 {
				return diag.Usagef("--step", "must be positive", "write --step 1h, or leave it out")
			}
			if webhook != "" {
				// An address that is wrong is reported before anything is read.
				if err := regressions.Send(ctx, nil, webhook, nil); err != nil {
					return err
				}
			}
			o.Query, o.SampleType = q, sample
			o.Own = func(p *profile.Profile) func(profile.Function) bool { return input.OwnCode(p, nil, f.Own).Match }
			r, err := findRegressions(ctx, s, o, len(f.Own) > 0)
			if err != nil {
				return err
			}
			for _, w := range r.Warnings {
				if !a.hasWarned(w) {
					a.warn(w)
				}
			}
			r.Warnings = a.warned
			doc := documents.NewRegressions(r)
			doc.Partial = a.lacks
			if f.JSON {
				err = a.writeJSON(doc)
			} else {
				err = a.write(func(w io.Writer) error { return stores.WriteRegressions(w, a.style, doc) })
			}
			if err == nil && webhook != "" {
				err = regressions.Send(ctx, nil, webhook, r.Alerts())
			}
			if n := len(r.Regressions); err == nil && fail && n > 0 {
				err = &diag.Error{
					Op: "regressions", Err: errors.New(layout.Plural(n, "regression", "regressions")), Kind: diag.Gate,
				}
			}
			return err
		})
	fs := cmd.Flags()
	fs.DurationVar(&o.Step, "step", time.Duration(0), "width of a slot (default: an hour, less for less than two days)")
	fs.StringVar(&o.Version, "version-label", "", "the label `NAME` whose value changes with a deploy (default: found)")
	fs.StringVar(&o.Instance, "instance-label", "", "the label `NAME` of a process or host (default: found)")
	fs.StringVar(&o.Repo, "repo", "", "list commits of the git repository in `DIR`")
	fs.StringVar(&webhook, "webhook", "", "send regressions to the `URL` of Alertmanager's API, as alerts")
	fs.BoolVar(&fail, "fail", false, "exit with code 3 if there is a regression")
	fs.StringArrayVar(&f.Own, "own", nil, "also treat modules or packages with this `PREFIX` as own code; may repeat")
	return cmd
}

// findRegressions finds them here, or lets the server of an address do it, which has the profiles.
func findRegressions(
	ctx context.Context, s store.Store, o regressions.Options, own bool,
) (*regressions.Report, error) {
	c, ok := s.(*remote.Client)
	if !ok {
		return regressions.Find(ctx, s, o)
	}
	if own {
		return nil, diag.Usagef("regressions", "--own has no effect on an address", "the server determines own code")
	}
	patient := *c
	http := *c.HTTP
	http.Timeout = 0 // Ctrl-C ends it
	patient.HTTP = &http
	r, err := patient.Regressions(ctx, o)
	if err == nil && o.Repo != "" {
		err = r.Annotate(ctx, o.Repo)
	}
	return r, err
}
