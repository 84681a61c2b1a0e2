package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1) //nolint:forbidigo // this is the program's end
	}
}

// settings are the flags.
type settings struct {
	dir, self, corpus, cases  string
	held, again, verify, look bool
	limit, most               time.Duration
}

// run measures cases, by default those without results, and writes the page, or verifies them.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	s := &session{log: stderr}
	var o settings
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.dir, "dir", "docs/measured", "`DIR` to write the page and results to")
	flags.StringVar(&o.self, "self", "internal/recall", "`DIR` of this program, with its cases and what -verify wrote")
	flags.StringVar(&s.whet, "whet", ".bin/whet", "the whet `BINARY` to run")
	flags.StringVar(&s.power, "power", ".bin/power-cases", "the `BINARY` of internal/power")
	flags.StringVar(&o.corpus, "corpus", "internal/power", "`DIR` of that program's cases")
	flags.StringVar(&s.work, "work", ".bin/recall", "`DIR` for copies of modules")
	flags.StringVar(&s.modules, "modules", ".bin/power", "`DIR` for modules, which internal/power uses, too")
	flags.DurationVar(&s.budget, "budget", 2*time.Minute, "`duration` for trying the candidates of a case")
	flags.StringVar(&o.cases, "cases", "", "only cases whose names match `REGEXP`")
	flags.BoolVar(&o.held, "held", false, "measure the cases that are held back, too")
	flags.BoolVar(&o.again, "again", false, "measure cases that have results, too")
	flags.BoolVar(&o.verify, "verify", false, "only verify that each change is small, and faster on a benchmark")
	flags.BoolVar(&o.look, "look", false, "only say what whet find finds of the cases that are not held back")
	flags.DurationVar(&o.limit, "limit", 15*time.Minute, "most `duration` of a case; one that takes longer is an error")
	flags.DurationVar(&o.most, "for", 0, "begin no case after this `duration`; 0 means no limit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q (want -cases REGEXP)", flags.Arg(0))
	}
	if s.budget <= 0 || o.limit <= 0 || o.most < 0 {
		return errors.New("-budget and -limit must be positive, and -for not negative")
	}
	wanted, err := regexp.Compile(o.cases)
	if err != nil {
		return err
	}
	for _, name := range []*string{&s.whet, &s.power, &o.self, &o.corpus, &s.work, &s.modules} {
		if *name, err = filepath.Abs(*name); err != nil {
			return err
		}
	}
	programs := []string{s.power}
	if !o.verify {
		programs = append(programs, s.whet)
	}
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("it is not built (make recall builds it): %w", err)
		}
	}
	if err := errors.Join(os.MkdirAll(s.work, 0o750), os.MkdirAll(s.modules, 0o750)); err != nil {
		return err
	}
	cases, err := readCases(casesJSON)
	if err != nil {
		return err
	}
	if s.changes, err = readSources(o.corpus, o.self); err != nil {
		return err
	}
	if s.carried, err = readCarried(o.self); err != nil {
		return err
	}
	if o.verify {
		return s.verifyAll(ctx, &o, wanted, cases)
	}
	if o.look {
		return s.lookAll(ctx, &o, wanted, cases)
	}
	return s.measureAll(ctx, &o, wanted, cases)
}

// measureAll measures the cases without results, and writes each result and the page.
func (s *session) measureAll(ctx context.Context, o *settings, wanted *regexp.Regexp, cases []testCase) error {
	r, err := read(o.dir)
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
		if wanted.MatchString(c.Name) && (o.held || !c.held()) && (o.again || !r.has(c.Name, key)) {
			queue = append(queue, queued{c, key})
		}
	}
	p := newProgress(len(queue), r.usual(), o.most)
	for _, q := range queue {
		if !p.next() {
			break
		}
		s.shown = p.prefix() + " " + q.Name
		late := fmt.Errorf("the case took longer than %v (-limit)", o.limit)
		limited, cancel := context.WithTimeoutCause(ctx, o.limit, late)
		m, err := s.measure(limited, q.testCase)
		if cause := context.Cause(limited); cause != nil && err != nil {
			err = errors.Join(cause, err)
		}
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.say(err.Error())
			m = &measurement{Name: q.Name, Error: err.Error()}
		}
		m.Key = q.key
		r.put(m, cases)
		if err := r.write(o.dir, cases); err != nil {
			return err
		}
	}
	_, _ = fmt.Fprintln(s.log, p.end())
	return r.write(o.dir, cases)
}

// lookAll says what whet find finds of cases that are not held back. Nothing is stored.
func (s *session) lookAll(ctx context.Context, o *settings, wanted *regexp.Regexp, cases []testCase) error {
	for i := range cases {
		c := &cases[i]
		if c.held() || !wanted.MatchString(c.Name) || s.carried[c.Name] == nil {
			continue
		}
		s.shown = c.Name
		limited, cancel := context.WithTimeout(ctx, o.limit)
		m, err := s.lookOnly(limited, c)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			s.say(err.Error())
		default:
			s.say(fmt.Sprintf("right: %v, diagnoses: %s (want %s), proposed by: %s", m.Right, joined(m.Kinds), joined(c.Kinds),
				strings.Join(m.By, ", ")))
		}
	}
	return nil
}
