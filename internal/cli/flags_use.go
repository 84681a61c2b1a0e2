package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

// checkUse rejects a flag that has no effect on the inputs that args name. Ignoring it would show
// something other than what the user requested.
func (f *viewFlags) checkUse(args []string) error {
	if f.given == nil {
		return nil
	}
	names := slices.Concat(args, f.Base, f.DiffBase)
	if err := f.checkAddressFlags(names); err != nil {
		return err
	}
	if f.Relative &&
		!slices.ContainsFunc(filterNames(), func(name string) bool { return name != "prune-from" && f.filter(name) != "" }) {
		return diag.Usagef(f.command, "--relative has no effect without a filter of samples: everything is kept",
			"a filter is --focus, --ignore, --hide, --show, --show-from, --tag-focus or --tag-ignore")
	}
	if f.Unit != "" && f.JSON {
		return diag.Usagef(f.command, "--unit has no effect with --json, which has values in the unit of the sample type",
			"leave one out")
	}
	return f.checkOwn()
}

// checkAddressFlags rejects flags for addresses if they apply to none of the
// names.
func (f *viewFlags) checkAddressFlags(names []string) error {
	if f.given == nil {
		return nil
	}
	for _, name := range []string{"header", "duration", "leaks", "seconds"} {
		if !f.given(name) || slices.ContainsFunc(names, input.IsURL) {
			continue
		}
		what := map[string]string{
			"header":   "it is sent when an address is fetched",
			"duration": "it sets how long an address is profiled; a file has its own duration",
			"seconds":  "it sets how long an address is recorded; a trace has its own length",
			"leaks": "it fetches the goroutineleak profile of an address; " +
				"a recording already has it, if the target serves it",
		}[name]
		return diag.Usagef(f.command, "--"+name+" has no effect: no input is an address", what)
	}
	if !f.given("duration") {
		return nil
	}
	for _, name := range names {
		if !input.IsURL(name) {
			continue
		}
		if err := input.CheckDuration(f.command, name); err != nil {
			return err
		}
	}
	return nil
}

// A useless flag is one that has no effect together with other flags of a command.
type useless struct {
	flag string
	when bool
	why  string // ends the sentence "--flag has no effect"
	hint string
}

// checkUseless rejects the first flag that is set but has no effect.
func checkUseless(op string, given func(string) bool, flags []useless) error {
	for _, f := range flags {
		if f.when && given(f.flag) {
			return diag.Usagef(op, "--"+f.flag+" has no effect "+f.why, f.hint)
		}
	}
	return nil
}

// noFile returns the useless --force of a command that writes no file; hint names the flags
// that make it write one.
func noFile(when bool, hint string) useless {
	return useless{"force", when, "where no file is written", hint}
}

// checkOwn rejects --own for a view without own code.
func (f *viewFlags) checkOwn() error {
	if len(f.Own) == 0 || f.By == profile.ByModule.String() {
		return nil
	}
	switch f.command {
	case "tree", "peek", "list", "disasm", "traces", "tags", "folded", "raw", "callgrind", "speedscope":
		return diag.Usagef(f.command, "--own has no effect: this view shows all code",
			"`whet top` and `whet flame` separate own code; --by module groups by module")
	case "top", "diff":
		if why := f.allCode(); why != "" {
			return diag.Usagef(f.command, "--own has no effect with "+why+", which shows all code", "leave one out")
		}
	}
	return nil
}

// allCode names the flag that makes top or diff a view of all code; "" without one.
func (f *viewFlags) allCode() string {
	switch {
	case f.All:
		return "--all"
	case f.Cum:
		return "--cum"
	case f.Mean:
		return "--mean"
	case len(f.TagRoot) > 0:
		return "--tagroot"
	case len(f.TagLeaf) > 0:
		return "--tagleaf"
	case f.given("by") && f.command == "top", f.By != profile.ByFunction.String() && f.By != profile.ByLine.String():
		return "--by " + f.By
	}
	return ""
}

// checkPositive fails if a flag among names is set to a number or duration that is not positive.
func checkPositive(op string, cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		v := cmd.Flags().Lookup(name).Value.String()
		if cmd.Flags().Changed(name) && (strings.HasPrefix(v, "-") || v == "0" || v == "0s") {
			return diag.Usagef(op, fmt.Sprintf("--%s must be positive, not %s", name, v), "omit it for the default")
		}
	}
	return nil
}
