package regressions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/origin"
)

// An Alert is one of Alertmanager's API v2 (postableAlert). Its labels identify it: the same
// regression found again is the same alert.
type Alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations,omitempty"`
	StartsAt    time.Time         `json:"startsAt"`
	// EndsAt is when it ended, or when it ends unless it is sent again; zero leaves that to Alertmanager.
	EndsAt       time.Time `json:"endsAt,omitzero"`
	GeneratorURL string    `json:"generatorURL,omitempty"`
}

// Alerts returns an alert for each regression of r.
func (r *Report) Alerts() []Alert {
	alerts := make([]Alert, 0, len(r.Regressions))
	percent := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 3, 64) + "%" }
	for i := range r.Regressions {
		c := &r.Regressions[i]
		a := Alert{
			Labels: map[string]string{
				"alertname": "WhetRegression", "service": c.Service, "kind": r.Kind, "function": c.Function, "cause": c.Cause,
				"severity": "warning",
			},
			Annotations: map[string]string{
				"summary": fmt.Sprintf("%s of %s: %s of the cost, was %s", c.Function, c.Service, percent(c.After),
					percent(c.Before)),
				"description": fmt.Sprintf("change %s (95%% interval %s to %s), adjusted p %.2g", percent(c.Change), percent(c.Low),
					percent(c.High), c.Q),
			},
			StartsAt: c.At,
		}
		if d := c.Deploy; d != nil {
			a.Labels["version"] = d.After
			a.Annotations["previous_version"] = d.Before
			for n, commit := range d.Commits {
				a.Annotations[fmt.Sprintf("commit_%02d", n+1)] = commit.Hash[:min(12, len(commit.Hash))] + " " + commit.Subject
			}
		}
		alerts = append(alerts, a)
	}
	return alerts
}

// Send posts alerts to the address of an Alertmanager, such as http://alertmanager:9093/api/v2/alerts.
// A nil client has a timeout of ten seconds. Redirects to another origin are refused. Without
// alerts nothing is sent.
func Send(ctx context.Context, client *http.Client, address string, alerts []Alert) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return diag.Usagef("--webhook", "the address is not one of http or https",
			"write http://alertmanager:9093/api/v2/alerts")
	}
	if len(alerts) == 0 {
		return nil
	}
	body, err := json.Marshal(alerts)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	if client == nil {
		const patience = 10 * time.Second
		client = &http.Client{Timeout: patience, CheckRedirect: origin.Policy{Secret: true}.Redirect}
	}
	answer, err := client.Do(r)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // the address may have a password
		}
		return &diag.Error{
			Op: "send alerts to", Subject: u.Scheme + "://" + u.Host, Err: err, Hint: "is Alertmanager listening there?",
		}
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 200)) // the status says enough
		return &diag.Error{
			Op: "send alerts to", Subject: u.Scheme + "://" + u.Host, Err: fmt.Errorf("%s: %q", answer.Status, text),
			Hint: "the path of Alertmanager's API is /api/v2/alerts",
		}
	}
	return nil
}
