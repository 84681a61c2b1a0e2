package cli

import (
	"context"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/workbench"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/regressions"
)

// alertFlags are the flags of whet serve for alerts about regressions.
type alertFlags struct {
	Every   time.Duration
	Since   time.Duration
	Webhook string
}

const alertSince = 7 * 24 * time.Hour // of --regressions-since, unless given

func (f *alertFlags) registerAlerts(fs *pflag.FlagSet) {
	fs.DurationVar(&f.Every, "regressions-every", 0,
		"look for regressions in the store each `duration`, such as 1h (default: never)")
	fs.DurationVar(&f.Since, "regressions-since", alertSince, "look at profiles of the last `duration`")
	fs.StringVar(&f.Webhook, "webhook", "", "send regressions to the `URL` of Alertmanager's API, as alerts")
}

// checkAlerts refuses values that cannot work before anything is done.
func (f *alertFlags) checkAlerts(ctx context.Context) error {
	const least = time.Minute
	switch {
	case f.Every == 0 && f.Webhook == "" && f.Since == alertSince:
		return nil
	case f.Every == 0:
		return diag.Usagef("serve", "--webhook and --regressions-since have no effect without --regressions-every",
			"write --regressions-every 1h")
	case f.Every < least:
		return diag.Usagef("--regressions-every", "must be at least a minute", "write --regressions-every 1h")
	case f.Since < f.Every:
		return diag.Usagef("--regressions-since", "must be at least --regressions-every", "write --regressions-since 168h")
	case f.Webhook == "":
		return diag.Usagef("serve", "--regressions-every has no address for alerts",
			"write --webhook http://alertmanager:9093/api/v2/alerts")
	}
	return regressions.Send(ctx, nil, f.Webhook, nil) // sends nothing, but checks the address
}

// startAlerts looks for regressions in the store of o until ctx ends. wait returns when that has ended.
func (a *app) startAlerts(ctx context.Context, f *uiFlags, o *workbench.Options) (wait func()) {
	tenants := []string{""}
	for _, name := range o.Tenants.Names() {
		if name != "" {
			tenants = append(tenants, name)
		}
	}
	w := regressions.WatchOptions{
		Options: regressions.Options{
			Query: store.Query{}, Repo: o.Dir,
			Own: func(p *profile.Profile) func(profile.Function) bool { return input.OwnCode(p, nil, f.Own).Match },
		},
		Since: f.Since, Reader: o.Store, Leases: o.Leases, Tenants: tenants, Every: f.Every, Webhook: f.Webhook,
		Warn: a.scrapeWarning,
	}
	var running sync.WaitGroup
	running.Go(func() { regressions.Watch(ctx, w) })
	return running.Wait
}
