package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/service"
)

// programHint is the hint of errors about a program under load.
const programHint = "give the program's arguments and the address to load: " +
	"--service '-addr {addr}' --load http://{addr}/"

// programFlags are the flags by which two builds of a program are compared as services under load.
type programFlags struct {
	Service string // arguments of the program
	service serviceFlags
	program service.Program // filled in by prepareProgram
}

// registerProgram adds the flags.
func (f *programFlags) registerProgram(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Service, "service", "",
		"compare as a service under load: start the program with `ARGS`, where {addr} is a free address")
	fs.StringArrayVar(&f.service.URLs, "load", nil, "send the load to `URL`, such as http://{addr}/path")
	f.service.register(cmd, "header", "timeout")
}

// serves reports whether the builds are compared as services under load.
func (f *programFlags) serves() bool { return len(f.service.URLs) > 0 }

// checkProgram checks the flags, and that they are used together.
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
		return diag.Usagef(op, fmt.Sprintf("--load is given %d times", len(s.URLs)),
			"both programs get the same load; --targets FILE has several requests")
	}
	command, err := service.ParseArguments(f.Service)
	if err != nil {
		return err
	}
	command.Dir = dir
	s.Commands = [2]service.Command{command, command}
	if s.AB.Precision = precision; !changed("precision") {
		s.AB.Precision = defaultServicePrecision
	}
	if s.AB.MaxTime = maxTime; !changed("max-time") {
		s.AB.MaxTime = defaultServiceMaxTime
	}
	s.AB.Unit = service.UnitCPU
	return s.check(cmd, op)
}

// prepareProgram rejects invalid flags and files before anything is built.
func (a *app) prepareProgram(f *programFlags, op string, profiles []string) error {
	s := &f.service
	if slices.Contains(profiles, "-") && s.load.StdinUses() > 0 {
		return diag.Usagef(op, "standard input can be read only once", "save the profile to a file first")
	}
	if err := a.readServiceLoad(s); err != nil {
		return err
	}
	f.program = service.Program{Options: s.Options}
	return f.program.Check()
}

// watchService lets view show the comparison of a program, and writes the program's output to
// --target-log. A second signal kills what was started. The caller calls done at the end.
func (a *app) watchService(f *programFlags, view *progress.Steps) (done func(), err error) {
	o := &f.program.Options
	o.Note, o.AB.Progress = view.Begin, view.Measure
	return f.service.setLogAndAbort(o)
}
