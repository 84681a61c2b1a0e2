package scrape

import (
	"errors"
	"fmt"
	"time"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/scrape/config"
	"github.com/whet-go/whet/internal/scrape/discover"
)

// A Check is what a configuration means: the document of whet watch --config --check.
type Check struct {
	Schema   string        `json:"schema"`
	File     string        `json:"file"`
	Jobs     []CheckJob    `json:"jobs"`
	Warnings diag.Warnings `json:"warnings,omitempty"`
}

// A CheckJob is a job of a configuration.
type CheckJob struct {
	Job      string        `json:"job"`
	Interval time.Duration `json:"interval_ns"`
	Profiles []string      `json:"profiles"`
	// Targets are those of static_configs, after relabeling.
	Targets []CheckTarget `json:"targets"`
	Sources []string      `json:"sources,omitempty"` // of other targets
}

// A CheckTarget is a target that would be scraped.
type CheckTarget struct {
	Service string `json:"service"`
	Target  string `json:"target"`
}

// NewCheck checks what Read does not: that the static targets are valid after relabeling. It contacts
// nothing.
func NewCheck(c *config.Config) (Check, error) {
	doc := Check{Schema: CheckSchema, File: c.File, Jobs: []CheckJob{}}
	e := New(Options{Config: c})
	for _, j := range e.jobs {
		one := CheckJob{Job: j.Name, Interval: j.Interval, Profiles: j.Kinds, Targets: []CheckTarget{}}
		for _, labels := range j.Static {
			t, err := j.target(labels)
			if err != nil {
				return doc, &diag.Error{
					Op: c.File, Err: fmt.Errorf("job %s: target %s: %s", j.Name, labels[discover.Address], clean(err)),
					Kind: diag.Usage, Hint: "see the relabel_configs of the job",
				}
			}
			if t != nil {
				one.Targets = append(one.Targets, CheckTarget{t.service, t.url})
			}
		}
		for _, s := range j.Sources() {
			one.Sources = append(one.Sources, s.String())
		}
		if len(one.Targets) == 0 && len(one.Sources) == 0 {
			doc.Warnings.Add(fmt.Errorf("job %s: %w", j.Name, errors.New("relabel_configs drop all targets")))
		}
		doc.Jobs = append(doc.Jobs, one)
	}
	return doc, nil
}
