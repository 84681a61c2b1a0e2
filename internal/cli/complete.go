package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/find/rules/index"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/profile"
)

// Limits on the time and input of completing a name, for which the shell waits.
const (
	completeTime  = 2 * time.Second
	completeBytes = 64 << 20 // of a profile or recording
)

// registerCompletions lets the shell complete arguments and flags: own functions for regular expressions over
// functions, and commits.
func (a *app) registerCompletions(cmd *cobra.Command) {
	for _, name := range []string{"focus", "ignore", "hide", "show", "show-from"} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, a.completeFunctions)
		}
	}
	if f := cmd.Flags().Lookup("base"); f != nil && f.Value.Type() == "string" {
		_ = cmd.RegisterFlagCompletionFunc("base", completeRefs) // a commit, not a profile to subtract
	}
	if strings.Contains(cmd.Use, " REGEXP ") {
		cmd.ValidArgsFunction = func(
			cmd *cobra.Command, args []string, prefix string,
		) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveDefault // profiles
			}
			return a.completeFunctions(cmd, args, prefix)
		}
	}
	for _, sub := range cmd.Commands() {
		a.registerCompletions(sub)
	}
}

// completeFunctions completes the names of own functions of the profiles that are named already, or else of the
// newest recording or profile in the working directory. What is completed is a regular expression: a plain
// function's whole name, or the last part of a method's.
func (a *app) completeFunctions(
	cmd *cobra.Command, args []string, prefix string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	file := ""
	for _, arg := range args {
		if input.Exists(arg) {
			file = arg
		}
	}
	if file == "" {
		file = input.Newest(".")
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > completeBytes {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTime)
	defer cancel()
	quiet := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	f := &viewFlags{command: cmd.Name()}
	f.register(&cobra.Command{Use: cmd.Name()}) // the defaults
	in, err := quiet.open(ctx, []string{file}, f)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer in.Close()
	return functionNames(in.Profile.Functions, in.Own.Match, prefix), cobra.ShellCompDirectiveNoFileComp
}

// functionNames returns completions: the own functions that begin with a prefix.
func functionNames(functions []profile.Function, own func(profile.Function) bool, prefix string) []cobra.Completion {
	var names []cobra.Completion
	for _, f := range functions {
		if !own(f) {
			continue
		}
		for _, name := range []string{f.Name, f.Name[strings.LastIndexByte(f.Name, '.')+1:]} {
			// A name with characters that mean something else in a regular expression would not find itself.
			if !strings.HasPrefix(name, prefix) || strings.ReplaceAll(regexp.QuoteMeta(name), `\.`, ".") != name {
				continue
			}
			names = append(names, cobra.CompletionWithDesc(name, f.Name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// completeRefs completes the branches and tags of the repository around the working directory.
func completeRefs(cmd *cobra.Command, _ []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completeTime)
	defer cancel()
	git := exec.CommandContext(ctx, "git", "for-each-ref", "--sort=-committerdate", "--count=200",
		"--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes")
	out, err := git.Output()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return append(
		[]cobra.Completion{"HEAD"}, strings.Fields(string(out))...,
	), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completeRules completes the names of rules.
func completeRules(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, r := range index.Rules() {
		names = append(names, cobra.CompletionWithDesc(r.Analyzer.Name, r.Doc.Title))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
