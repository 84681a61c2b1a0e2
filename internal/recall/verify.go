package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A check is what shows that a case is one: a small change of functions, with a gain on a benchmark.
type check struct {
	Name  string `json:"name"`
	Key   string `json:"key"` // of the change
	Error string `json:"error,omitempty"`
	// Lines are removed or replaced in Functions functions; all lines of those in which lines are only added.
	Lines     int `json:"lines,omitempty"`
	Functions int `json:"functions,omitempty"`
	gained
	Written bool `json:"written,omitempty"` // whet has written the benchmark
}

// checkedTime is the gain of time that a check needs. It has a margin, since the machine may do other work; allocations
// are counted, and need none.
const (
	checkedTime = 0.15
	// mostLines and mostFunctions limit what a small change is.
	mostLines     = 250
	mostFunctions = 16
)

// problem returns what is wrong with a check; "" if the case is one.
func (k *check) problem() string {
	switch {
	case k.Error != "":
		first, _, _ := strings.Cut(k.Error, "\n")
		return first
	case k.Lines == 0 || k.Lines > mostLines || k.Functions == 0 || k.Functions > mostFunctions:
		return fmt.Sprintf("%d lines of %d functions changed (want up to %d of %d)", k.Lines, k.Functions, mostLines,
			mostFunctions)
	case k.Subject == "":
		return fmt.Sprintf("no benchmark gains %.0f%% of time, or %.0f%% of allocations or bytes", 100*checkedTime,
			100*leastMemory) //nolint:mnd // percent
	case !k.enough():
		return fmt.Sprintf("%s gains too little: %s", k.Subject, gain(k.Theirs, k.Unit))
	}
	return ""
}

// checks are those of all cases, by name.
type checks []*check

func checksFile(dir string) string { return filepath.Join(dir, "checked.json") }

// readChecks returns the stored checks; none if there is no file.
func readChecks(dir string) (all checks, err error) {
	data, err := readFile(checksFile(dir))
	if err != nil || data == nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("read checks %q: %w", checksFile(dir), err)
	}
	return all, nil
}

// of returns the check of a case; nil if there is none.
func (all checks) of(name string) *check {
	i := slices.IndexFunc(all, func(k *check) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// with returns the checks with another one, which replaces an older one. Those of cases that are no longer listed are
// dropped.
func (all checks) with(k *check, cases []testCase) checks {
	all = slices.DeleteFunc(all, func(o *check) bool {
		return o.Name == k.Name || !slices.ContainsFunc(cases, func(c testCase) bool { return c.Name == o.Name })
	})
	all = append(all, k)
	slices.SortFunc(all, func(a, b *check) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func (all checks) write(dir string) error {
	data, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(checksFile(dir), append(data, '\n'), 0o644) //nolint:gosec // it is committed
}

// Effort of checks.
const (
	checkingTime      = 2 * time.Minute
	checkingMaxTime   = 3 * time.Second
	checkingPrecision = 0.05
	checkingInputs    = 300
)

// verifyAll checks the cases whose change has no check, held back or not, and stores each check. What whet finds in
// them is not looked at.
func (s *session) verifyAll(ctx context.Context, o *settings, wanted *regexp.Regexp, cases []testCase) error {
	all, err := readChecks(o.self)
	if err != nil {
		return err
	}
	var queue []queued
	for i := range cases {
		c := &cases[i]
		key, err := s.key(c)
		if err != nil {
			return err
		}
		if k := all.of(c.Name); wanted.MatchString(c.Name) && (o.again || k == nil || k.Key != key) {
			queue = append(queue, queued{c, key})
		}
	}
	p := newProgress(len(queue), 0, o.most)
	for _, q := range queue {
		if !p.next() {
			break
		}
		s.shown = p.prefix() + " " + q.Name
		limited, cancel := context.WithTimeout(ctx, o.limit)
		k, err := s.verify(limited, q.testCase)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			k = &check{Error: err.Error()}
		}
		k.Name, k.Key = q.Name, q.key
		if why := k.problem(); why != "" {
			s.say("it is no case: " + why)
		} else {
			s.say(fmt.Sprintf("%d lines of %d functions, %s %s", k.Lines, k.Functions, k.Subject, gain(k.Theirs, k.Unit)))
		}
		all = all.with(k, cases)
		if err := all.write(o.self); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(s.log, p.end())
	return nil
}

// verify checks a case.
func (s *session) verify(ctx context.Context, c *testCase) (k *check, err error) {
	dir, err := os.MkdirTemp(s.work, "case")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := s.versions(ctx, c, dir); err != nil {
		return nil, err
	}
	s.say("measure the maintainers' change")
	carried := s.carried[c.Name]
	var b *benched
	if carried != nil {
		b, err = prepare(ctx, dir, carried)
	} else {
		b, err = s.theirs(ctx, c, dir, effort{checkingTime, checkingMaxTime, checkingPrecision, checkingInputs})
	}
	if err != nil {
		return nil, err
	}
	where, err := placesOf(b.dir, &b.changed)
	if err != nil {
		return nil, err
	}
	k = &check{Functions: len(where.functions), Written: b.written}
	for _, l := range where.lines {
		k.Lines += l.to - l.from + 1
	}
	if carried == nil {
		k.gained = most(b.measured, checkedTime)
		return k, nil
	}
	k.gained, err = quick(ctx, dir, carried)
	return k, err
}
