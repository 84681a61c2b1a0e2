package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/fix"
	"github.com/whet-go/whet/internal/modproxy"
	"github.com/whet-go/whet/internal/procgroup"
)

// Settings of whet's runs.
const (
	window     = "9s" // of the recording
	minShare   = "1%"
	fuzzTime   = "2s" // of each compared function
	measureFor = "3s" // each benchmark
	// startTime is how long a server may take until it answers.
	startTime = 30 * time.Second
)

// A session measures servers on this machine, one after the other.
type session struct {
	whet  string // the binary
	work  string // directory for copies and recordings
	limit time.Duration
	log   io.Writer
}

// measure builds and records a server, looks for findings and tries what is proposed.
func (s *session) measure(ctx context.Context, one server) (*measurement, error) {
	say := func(what string) { _, _ = fmt.Fprintf(s.log, "%s: %s\n", one.name, what) }
	m := &measurement{Name: one.name, Module: one.module, Version: one.version, Date: time.Now().Format(time.DateOnly)}
	dir := filepath.Join(s.work, one.name)
	rec := filepath.Join(s.work, one.name+".whet")
	say("copy and build " + one.module + " " + one.version)
	if err := modproxy.Copy(ctx, one.module, one.version, dir); err != nil {
		return nil, err
	}
	binary := filepath.Join(s.work, one.name+".bin")
	began := time.Now()
	if _, err := modproxy.Output(ctx, dir, "go", "build", "-o", binary, "./"+one.command); err != nil {
		return nil, err
	}
	m.Build = time.Since(began).Round(time.Second)
	m.Load = loadAverage()
	say("record")
	if err := s.record(ctx, one, binary, dir, rec); err != nil {
		return nil, err
	}
	say("find")
	out, err := modproxy.Output(ctx, dir, s.whet, "find", "--dependencies", "--json", "--min-share", minShare, rec)
	if err != nil {
		return nil, err
	}
	var found find.Result
	if err := json.Unmarshal(out, &found); err != nil {
		return nil, fmt.Errorf("read what whet find wrote: %w", err)
	}
	m.found(&found)
	say("fix")
	tried, err := s.fix(ctx, dir, rec)
	if err != nil {
		return nil, err
	}
	m.tried(tried)
	say(m.summary())
	return m, ctx.Err()
}

// fix tries what was proposed.
func (s *session) fix(ctx context.Context, dir, rec string) (*fix.Result, error) {
	limited, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	out, err := modproxy.Output(limited, dir, s.whet, "fix", "--dependencies", "--settings=false", "--json",
		"--min-share", minShare, "--fuzz-time", fuzzTime, "--max-time", measureFor, "--precision", "3%",
		"--budget", (s.limit / 4).String(), rec)
	switch {
	case err == nil:
	case limited.Err() == nil:
		return nil, err
	case len(out) == 0: // it was ended before it had built and tested the module
		return &fix.Result{Interrupted: true}, ctx.Err()
	}
	var result fix.Result
	if err := json.Unmarshal(out, &result); err != nil {
		return nil, fmt.Errorf("read what whet fix wrote: %w", err)
	}
	return &result, ctx.Err()
}

// record starts a server and records it under load.
func (s *session) record(ctx context.Context, one server, binary, source, rec string) (err error) {
	dir, err := os.MkdirTemp(s.work, "run")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	in := strings.NewReplacer("{dir}", dir)
	for name, text := range one.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(in.Replace(text)), 0o600); err != nil {
			return err
		}
	}
	args := slices.Clone(one.args)
	for i := range args {
		args[i] = in.Replace(args[i])
	}
	running, stop := context.WithCancel(ctx)
	cmd := exec.CommandContext(running, binary, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	procgroup.OwnAndKill(cmd)
	if err := cmd.Start(); err != nil {
		stop()
		return err
	}
	defer func() {
		stop()
		_ = cmd.Wait() // it was killed
	}()
	if err := ready(ctx, one); err != nil {
		return err
	}
	if err := os.Remove(rec); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	how := []string{"record", "http://" + one.pprof, "-o", rec, "-d", window, "--own", one.module}
	for _, url := range one.load {
		how = append(how, "--load", url)
	}
	if one.method != "" {
		how = append(how, "--method", one.method, "--body", one.body)
	}
	_, err = modproxy.Output(ctx, source, s.whet, how...)
	return err
}

// ready waits until a server answers, and sends what prepares it.
func ready(ctx context.Context, one server) error {
	limited, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	send := func(method, url, body string) error {
		request, err := http.NewRequestWithContext(limited, method, url, strings.NewReader(body))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		if method == http.MethodGet {
			request.Header.Del("Content-Type")
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		err = errors.Join(err, response.Body.Close())
		if response.StatusCode >= http.StatusMultipleChoices {
			return errors.Join(err, fmt.Errorf("%s answers %s", url, response.Status))
		}
		return err
	}
	var err error
	for limited.Err() == nil {
		if one.prepareURL != "" {
			err = send(http.MethodPost, one.prepareURL, one.prepareBody)
		} else {
			err = send(http.MethodGet, one.load[0], "")
		}
		if err == nil {
			return nil
		}
		select {
		case <-limited.Done():
		case <-time.After(time.Second / 4):
		}
	}
	return fmt.Errorf("%s is not ready: %w", one.name, err)
}

// loadAverage returns the machine's load of the last minute; "" if it is unknown.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
