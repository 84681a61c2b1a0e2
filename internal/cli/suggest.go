package cli

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
)

// unknownCommand is the argument check of commands that only have subcommands: any argument is an unknown one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath()
	err := diag.Usagef("", fmt.Sprintf("unknown command %q", strings.TrimPrefix(path+" "+args[0], "whet ")),
		"`"+path+" --help` lists the commands")
	if similar := similarCommands(cmd, args[0]); len(similar) > 0 {
		err.Hint = didYouMean(path+" ", similar)
	} else if _, serr := os.Stat(args[0]); serr == nil || input.IsURL(args[0]) {
		err.Hint = "to see what costs: `whet top " + args[0] + "`"
	}
	return err
}

// didYouMean returns the hint with the names that are similar to an unknown one.
func didYouMean(prefix string, similar []string) string {
	return "did you mean `" + prefix + strings.Join(similar, "` or `"+prefix) + "`?"
}

// maxDistance is the maximum number of letters by which a suggestion differs.
const maxDistance = 2

func similarCommands(cmd *cobra.Command, name string) []string {
	if cmd.SuggestionsMinimumDistance <= 0 {
		cmd.SuggestionsMinimumDistance = maxDistance
	}
	return cmd.SuggestionsFor(name)
}

// similarFlags returns the flags of a command whose names are similar to an unknown one. They are compared as
// cobra compares commands.
func similarFlags(cmd *cobra.Command, name string) []string {
	names := &cobra.Command{SuggestionsMinimumDistance: maxDistance}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	return names.SuggestionsFor(name)
}

var (
	unknownFlag = regexp.MustCompile(`^unknown flag: --([^ ]+)$`)
	badDuration = regexp.MustCompile(`^invalid argument "(.*)" for "(.*)" flag: ` +
		`time: (?:missing unit in|invalid|unknown unit "[^"]*" in) duration`)
)

// flagError explains an error of parsing flags.
func flagError(cmd *cobra.Command, err error) error {
	message, hint := err.Error(), "`"+cmd.CommandPath()+" --help` lists the flags"
	if ne := (*strconv.NumError)(nil); errors.As(err, &ne) {
		want := "not a number"
		if ne.Func == "ParseBool" {
			want = "want true or false"
		}
		message = strings.TrimSuffix(message, ne.Error()) + want
	}
	if m := unknownFlag.FindStringSubmatch(message); m != nil {
		if similar := similarFlags(cmd, m[1]); len(similar) > 0 {
			hint = didYouMean("--", similar)
		}
	}
	if m := badDuration.FindStringSubmatch(message); m != nil {
		message = fmt.Sprintf("%s: %q is not a duration", m[2], m[1])
		hint = "a duration has a unit: 500ms, 5s, 2m"
		if _, err := strconv.ParseFloat(m[1], 64); err == nil {
			hint = fmt.Sprintf("did you mean %ss?", m[1])
		}
	}
	op := strings.TrimPrefix(cmd.CommandPath(), "whet ")
	if op == "whet" {
		op = ""
	}
	return diag.Usagef(op, message, hint)
}

// unknownValue returns the error for a value that is not in a list. An empty value in the list is the default.
func unknownValue(op, what, value string, valid []string) error {
	names := slices.DeleteFunc(slices.Clone(valid), func(s string) bool { return s == "" })
	list := strings.Join(names, "")
	if last := len(names) - 1; last > 0 {
		list = strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return diag.Usagef(op, fmt.Sprintf("unknown %s %q (want %s)", what, value, list), "")
}

// helpCommand is cobra's help command, with an error for unknown commands.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		Long: "Help about any command: `whet help bench compare` is the same as\n" +
			"`whet bench compare --help`. `whet help glossary` explains the terms.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			of, _, err := cmd.Root().Find(args)
			if err != nil || of == nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, sub := range of.Commands() {
				if sub.IsAvailableCommand() {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := cmd.Root()
			for i, name := range args {
				next, rest, err := of.Find([]string{name})
				if err != nil || next == of || len(rest) > 0 {
					return unknownCommand(of, args[i:])
				}
				of = next
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}
