package cli

import (
	"context"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/report/recordings"
	"github.com/whet-go/whet/memory"
)

func (a *app) memoryCommand() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "memory [BEFORE] NOW",
		Short: "Account for memory from live heap to RSS, and for the GC",
		Long: `Account for a program's memory, from the live heap through garbage,
fragmentation, free spans, stacks and the runtime's own structures to the
resident set size, and for its garbage collections: their number, share of CPU
time and pauses, and the allocation rate.

The parts add up to the total, to the byte. Estimates are marked with ~, and
what the input cannot show is listed at the end.

NOW and BEFORE are each a recording (.whet), the text of
/debug/pprof/heap?debug=1 in a file, an address (the base URL of a service that
serves /debug/pprof/) or "-" for standard input. A recording shows what changed
over its window; two arguments are compared.`,
		Example: `  whet memory demo.whet
  whet memory monday.whet friday.whet
  whet memory http://localhost:6060`,
		Args: twoArgs("whet memory demo.whet"),
	}
	f.registerSource(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return a.memory(cmd.Context(), args, f) }
	return cmd
}

func (a *app) memory(ctx context.Context, args []string, f *viewFlags) error {
	if err := f.checkAddressFlags(args); err != nil {
		return err
	}
	o, err := a.opener(f)
	if err != nil {
		return err
	}
	var seen []*memory.Report
	for _, arg := range args {
		r, err := o.Memory(ctx, arg)
		if err != nil {
			return err
		}
		seen = append(seen, r)
	}
	now := seen[len(seen)-1]
	if len(seen) == 2 {
		now.Warnings = append(slices.Clone(seen[0].Warnings), now.Warnings...)
		now.CompareWith(seen[0])
	}
	a.warn(now.Warnings...)
	now.Warnings = a.warned
	if f.JSON {
		return a.writeJSON(now)
	}
	return a.write(func(w io.Writer) error { return recordings.WriteMemory(w, a.style, now) })
}
