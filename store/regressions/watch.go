package regressions

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/whet-go/whet/store"
)

// WatchOptions configure Watch. Reader, Leases, Every and Webhook are required.
type WatchOptions struct {
	// Options are those of each report, whose From is Since before now. Repo is for the tenant "" only: others
	// must not see its commits. Without the repository, alerts have no commits.
	Options
	Since  time.Duration
	Reader store.Reader
	// Leases keep which alerts are firing, so that a process that is started again, and others with the same
	// store, know them.
	Leases store.LeaseStore
	// Tenants are those whose profiles are looked at; empty: the tenant "".
	Tenants []string
	// Every is the time between two reports about a tenant.
	Every time.Duration
	// Webhook is the address that alerts are sent to, as Send does with Client.
	Webhook string
	Client  *http.Client
	// Warn is called with what fails, one at a time; nil ignores it.
	Warn func(error)
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

const (
	// alertGroup and alertMember name the lease whose document says which alerts are firing.
	alertGroup  = "whet-regressions"
	alertMember = "alerts"
	// alertRounds is how many times Every an alert stays if it is not sent again.
	alertRounds = 4
)

// firing is the document of the alerts of a tenant.
type firing struct {
	Checked time.Time `json:"checked"`
	Alerts  []Alert   `json:"alerts"`
}

// Watch finds regressions at once and then at intervals until ctx ends, and sends an alert for each. An alert
// is sent again each time, as Alertmanager expects, and with the time when it ended as soon as its regression
// is not found any more. If several processes watch the same store, one of them looks at each time.
func Watch(ctx context.Context, o WatchOptions) {
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if len(o.Tenants) == 0 {
		o.Tenants = []string{""}
	}
	ticker := time.NewTicker(o.Every)
	defer ticker.Stop()
	for {
		for _, tenant := range o.Tenants {
			if err := o.round(ctx, tenant); err != nil && ctx.Err() == nil {
				o.Warn(fmt.Errorf("look for regressions: %w", err))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// round looks for the regressions of a tenant, unless another process just did.
func (o *WatchOptions) round(ctx context.Context, tenant string) error {
	before, err := o.firing(ctx, tenant)
	if err != nil {
		return err
	}
	now := o.Now()
	if age := now.Sub(before.Checked); age >= 0 && age < o.Every/2 {
		return nil
	}
	alerts, err := o.alerts(ctx, tenant, now)
	if err != nil {
		return err // what is firing stays
	}
	known := map[string]Alert{}
	for _, a := range before.Alerts {
		known[a.identity()] = a
	}
	for i := range alerts {
		a := &alerts[i]
		a.EndsAt = now.Add(alertRounds * o.Every).UTC()
		if was, ok := known[a.identity()]; ok {
			a.StartsAt = was.StartsAt
			delete(known, a.identity())
		}
	}
	send := slices.Clone(alerts)
	for _, id := range slices.Sorted(maps.Keys(known)) {
		a := known[id]
		a.EndsAt = now.UTC()
		send = append(send, a)
	}
	if err := Send(ctx, o.Client, o.Webhook, send); err != nil {
		return err // what ended is sent the next time
	}
	document, err := json.Marshal(firing{now.UTC(), alerts})
	if err != nil {
		return err
	}
	if _, err := o.Leases.Renew(ctx, tenant, alertGroup, alertMember, alertRounds*o.Every); err != nil {
		return err
	}
	return o.Leases.Publish(ctx, tenant, alertGroup, alertMember, document)
}

// firing returns the alerts that were sent last.
func (o *WatchOptions) firing(ctx context.Context, tenant string) (last firing, err error) {
	leases, err := o.Leases.Leases(ctx, tenant)
	if err != nil {
		return last, err
	}
	for _, l := range leases {
		if l.Group == alertGroup && l.Member == alertMember && len(l.Document) > 0 {
			if err := json.Unmarshal(l.Document, &last); err != nil {
				return firing{}, fmt.Errorf("read the alerts that are firing: %w", err)
			}
		}
	}
	return last, nil
}

// alerts returns an alert for each regression that is found now, each once.
func (o *WatchOptions) alerts(ctx context.Context, tenant string, now time.Time) ([]Alert, error) {
	q := o.Options
	q.Tenant, q.From, q.Repo = tenant, now.Add(-o.Since), ""
	r, err := Find(ctx, o.Reader, q)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil // nothing is stored
	}
	if err != nil {
		return nil, err
	}
	if o.Repo != "" && tenant == "" && len(r.Regressions) > 0 {
		_ = r.Annotate(ctx, o.Repo) // an alert without commits is better than none
	}
	all := r.Alerts()
	for i := range all {
		if tenant != "" {
			all[i].Labels["tenant"] = tenant
		}
	}
	// The same function may have changed twice without a deploy: the first one is the largest.
	slices.SortStableFunc(all, func(a, b Alert) int { return cmp.Compare(a.identity(), b.identity()) })
	return slices.CompactFunc(all, func(a, b Alert) bool { return a.identity() == b.identity() }), nil
}

// identity returns what is equal for the same alert.
func (a *Alert) identity() string {
	text, _ := json.Marshal(a.Labels) // sorted by name, and always possible
	return string(text)
}
