package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/collect/services"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
)

// pgoServiceHint is how whet pgo is told of a service.
const pgoServiceHint = "say how the program is started and where it is loaded: --service '-addr {addr}' --load http://{addr}/"

func (f *pgoFlags) registerService(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Service, "service", "", "compare by a service under load: start the program with these `ARGS`, where {addr} is a free address")
	fs.StringArrayVar(&f.service.URLs, "load", nil, "send the load to `URL`, as http://{addr}/path")
	fs.StringArrayVar(&f.service.load.Headers, "load-header", nil, "send \"`Name: value`\" with every request; may repeat")
	f.service.register(cmd, "header", "timeout") // which are of profiles and benchmarks here
}

// serves tells whether a service under load is what decides.
func (f *pgoFlags) serves() bool { return len(f.service.URLs) > 0 }

// checkService checks the flags of services, which go with each other and not with those of
// benchmarks.
func (f *pgoFlags) checkService(cmd *cobra.Command) error {
	s, changed := &f.service, cmd.Flags().Changed
	if !changed("service") {
		for _, name := range slices.Concat([]string{"load", "load-header"}, s.names) {
			if changed(name) {
				return diag.Usagef("pgo", "--"+name+" needs --service", pgoServiceHint)
			}
		}
		return nil
	}
	for _, name := range []string{"bench", "timeout"} {
		if changed(name) {
			return diag.Usagef("pgo", "--"+name+" and --service exclude each other", "--"+name+" is of benchmarks, which --service takes the place of")
		}
	}
	switch {
	case f.NoMeasure:
		return diag.Usagef("pgo", "--no-measure and --service exclude each other", "--service is how to measure; --dry-run measures and writes nothing")
	case len(s.URLs) == 0:
		return diag.Usagef("pgo", "--service needs --load", pgoServiceHint)
	case len(s.URLs) > 1:
		return diag.Usagef("pgo", fmt.Sprintf("--load is given %d times", len(s.URLs)), "both programs get the same load; --targets FILE has several requests")
	case !strings.Contains(s.URLs[0], "{addr") && !strings.Contains(s.URLs[0], "{port"):
		return diag.Usagef("--load", "both programs would answer at the same address", pgoServiceHint)
	}
	if _, err := parseHeaders(s.load.Headers, ""); err != nil {
		return diag.Usagef("--load-header", "not a header", `write it as --load-header "Content-Type: application/json"`)
	}
	command, err := services.ParseArguments(f.Service)
	if err != nil {
		return err
	}
	command.Dir = f.Dir
	s.Commands = [2]services.Command{command, command}
	if s.AB.Precision = float64(f.Precision); !changed("precision") {
		s.AB.Precision = defaultServicePrecision
	}
	if s.AB.MaxTime = f.MaxTime; !changed("max-time") {
		s.AB.MaxTime = defaultServiceMaxTime
	}
	s.AB.Unit = services.UnitCPU
	return s.check(cmd, "pgo")
}

// prepareService finds what cannot be right before anything is built.
func (a *app) prepareService(f *pgoFlags, profiles []string) error {
	s := &f.service
	if slices.Contains(profiles, "-") && s.load.stdinUses() > 0 {
		return diag.Usagef("pgo", "standard input can be read only once", "save the profile to a file first")
	}
	if err := a.readServiceLoad(s); err != nil {
		return err
	}
	trial := s.Options
	trial.Commands = started(s.Commands, [2]string{"PROGRAM", "PROGRAM"})
	return trial.Check()
}

// started are commands with their programs.
func started(commands [2]services.Command, paths [2]string) [2]services.Command {
	for i, path := range paths {
		commands[i].Args = slices.Concat([]string{path}, commands[i].Args)
	}
	return commands
}

// comparePrograms compares the programs that package pgo builds as services under load.
func (a *app) comparePrograms(f *pgoFlags) func(context.Context, [2]string, ab.Options) (*ab.Result, []string, error) {
	return func(ctx context.Context, paths [2]string, _ ab.Options) (*ab.Result, []string, error) {
		s := f.service
		s.Commands = started(s.Commands, paths)
		r, err := a.runServices(ctx, &s)
		if err == nil {
			err = r.Failure
		}
		if err != nil {
			if ctx.Err() == nil && diag.Hint(err) == "" {
				err = &diag.Error{Err: err, Hint: "--service has the arguments that the program takes, and KEY=value of its environment before them"}
			}
			return nil, nil, err
		}
		if err := refuseFailures(r); err != nil {
			return nil, nil, err
		}
		return r.AB, report.ServiceDoubts(r), nil
	}
}

// refuseFailures refuses a comparison that no file must be written for: of programs that have
// not done the same work, or little of what they were asked.
func refuseFailures(r *services.Result) error {
	for i := range r.Sides {
		seen := &r.Sides[i].Seen
		if failed := seen.Failed(); failed > 0 && (r.FailuresDiffer || 2*failed > seen.Requests) {
			return &diag.Error{
				Op: "compare under load", Err: fmt.Errorf("%v failed %d of %d requests (%s)", ab.Side(i), failed, seen.Requests, seen.Failures()),
				Hint: "a refusal costs less than an answer: send what the service answers, or less of it with -r",
			}
		}
	}
	return nil
}
