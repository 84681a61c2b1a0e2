package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is the maximum width of the lists of flags in --help, which every
// terminal has, so the text does not depend on the terminal.
const helpWidth = 80

// usage writes a command's usage as cobra does, but with flags that fit helpWidth
// columns and one use line.
func usage(cmd *cobra.Command) error {
	var b strings.Builder
	use := cmd.UseLine()
	if !cmd.Runnable() {
		use = cmd.CommandPath() + " COMMAND"
	}
	b.WriteString("Usage:\n  " + use + "\n")
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + cmd.Example + "\n")
	}
	for _, g := range cmd.Groups() {
		usageCommands(&b, g.Title, cmd, g.ID)
	}
	if !cmd.AllChildCommandsHaveGroup() {
		usageCommands(&b, "Commands:", cmd, "")
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(helpWidth))
	}
	if cmd.HasAvailableInheritedFlags() {
		b.WriteString("\nGlobal Flags:\n" + cmd.InheritedFlags().FlagUsagesWrapped(helpWidth))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\nUse \"%s COMMAND --help\" for more information about a command.\n", cmd.CommandPath())
	}
	_, err := fmt.Fprint(cmd.OutOrStderr(), b.String())
	return err
}

// usageCommands writes the commands of cmd that belong to a group.
func usageCommands(b *strings.Builder, title string, cmd *cobra.Command, group string) {
	first := true
	for _, sub := range cmd.Commands() {
		if sub.GroupID != group || !sub.IsAvailableCommand() && sub.Name() != "help" {
			continue
		}
		if first {
			b.WriteString("\n" + title + "\n")
			first = false
		}
		fmt.Fprintf(b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), sub.Short)
	}
}
