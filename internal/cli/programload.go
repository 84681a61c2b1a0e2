package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/collect/services"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/report"
)

// programHint is how a command is told of a program under load.
const programHint = "say how the program is started and where it is loaded: --service '-addr {addr}' --load http://{addr}/"

// programFlags are the flags by which two builds of a program are compared as services under load.
type programFlags struct {
	Service string // arguments of the program
	service serviceFlags
}

// registerProgram adds the flags.
func (f *programFlags) registerProgram(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Service, "service", "", "compare as a service under load: start the program with `ARGS`, where {addr} is a free address")
	fs.StringArrayVar(&f.service.URLs, "load", nil, "send the load to `URL`, such as http://{addr}/path")
	f.service.register(cmd, "header", "timeout")
}

// serves tells whether a service under load is what decides.
func (f *programFlags) serves() bool { return len(f.service.URLs) > 0 }

// checkProgram checks the flags, which go with each other.
func (f *programFlags) checkProgram(cmd *cobra.Command, dir string, precision float64, maxTime time.Duration) error {
	op, changed := cmd.Name(), cmd.Flags().Changed
	s := &f.service
	if !changed("service") {
		for _, name := range slices.Concat([]string{"load"}, s.names) {
			if changed(name) {
				return diag.Usagef(op, "--"+name+" needs --service", programHint)
			}
		}
		return nil
	}
	switch {
	case len(s.URLs) == 0:
		return diag.Usagef(op, "--service needs --load", programHint)
	case len(s.URLs) > 1:
		return diag.Usagef(op, fmt.Sprintf("--load is given %d times", len(s.URLs)), "both programs get the same load; --targets FILE has several requests")
	case !strings.Contains(s.URLs[0], "{addr") && !strings.Contains(s.URLs[0], "{port"):
		return diag.Usagef("--load", "both programs would listen on the same address", programHint)
	}
	command, err := services.ParseArguments(f.Service)
	if err != nil {
		return err
	}
	command.Dir = dir
	s.Commands = [2]services.Command{command, command}
	if s.AB.Precision = precision; !changed("precision") {
		s.AB.Precision = defaultServicePrecision
	}
	if s.AB.MaxTime = maxTime; !changed("max-time") {
		s.AB.MaxTime = defaultServiceMaxTime
	}
	s.AB.Unit = services.UnitCPU
	return s.check(cmd, op)
}

// prepareProgram finds what cannot be right before anything is built.
func (a *app) prepareProgram(f *programFlags, op string, profiles []string) error {
	s := &f.service
	if slices.Contains(profiles, "-") && s.load.stdinUses() > 0 {
		return diag.Usagef(op, "standard input can be read only once", "save the profile to a file first")
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

// comparePrograms compares two builds of a program as services under load.
func (a *app) comparePrograms(ctx context.Context, f *programFlags, paths [2]string) (*ab.Result, []string, error) {
	s := f.service
	s.Commands = started(s.Commands, paths)
	r, err := a.runServices(ctx, &s)
	if err == nil {
		err = r.Failure
	}
	if err != nil {
		if ctx.Err() == nil && diag.Hint(err) == "" {
			err = &diag.Error{Err: err, Hint: "--service takes the arguments of the program, with KEY=value of its environment before them"}
		}
		return nil, nil, err
	}
	if err := refuseFailures(r); err != nil {
		return nil, nil, err
	}
	return r.AB, report.ServiceDoubts(r), nil
}

// refuseFailures refuses a comparison that no file must be written for: of programs that have
// not done the same work, or little of what they were asked.
func refuseFailures(r *services.Result) error {
	for i := range r.Sides {
		seen := &r.Sides[i].Seen
		if failed := seen.Failed(); failed > 0 && (r.FailuresDiffer || 2*failed > seen.Requests) {
			return &diag.Error{
				Op: "compare under load", Err: fmt.Errorf("%v failed %d of %d requests (%s)", ab.Side(i), failed, seen.Requests, seen.Failures()),
				Hint: "failed requests cost less than answered ones: send requests that the service answers, or lower -r",
			}
		}
	}
	return nil
}
