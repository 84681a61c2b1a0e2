package cli

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/whet-go/whet/internal/diag"
)

// A sharedLoad is the load of a command that does more than send it: the flags of whet load
// that make sense there, with the same help.
type sharedLoad struct {
	load   loadFlags
	loaded *cobra.Command         // has all flags of whet load, of which some are bound
	bound  map[string]*pflag.Flag // by the name in loaded: the command's
	names  []string               // of the flags as the command has them, in order
}

// sharedLoadFlags are the flags of whet load that select what is sent, and how. The others are
// about a single run, or a target and results that other commands do not have.
func sharedLoadFlags() []string {
	return []string{
		"connections", "rate", "arrivals", "timeout", "method", "header", "body", "user", "password-file", "token-file",
		"targets", "targets-format", "vars", "http2", "streams", "no-keepalive", "insecure", "cert", "key", "ca",
		"engine", "workers",
	}
}

// bind adds the flags to those of cmd, and more of them. A flag whose name means something
// else in cmd, because cmd has it or it is in separate, is called load-NAME.
func (s *sharedLoad) bind(cmd *cobra.Command, more, separate []string) {
	s.loaded = &cobra.Command{Use: "load"}
	s.load.register(s.loaded)
	s.bound = map[string]*pflag.Flag{}
	fs := cmd.Flags()
	var renamed []string // old and new, for usages that mention other flags
	names := slices.Concat(sharedLoadFlags(), more)
	for _, name := range names {
		if slices.Contains(separate, name) || fs.Lookup(name) != nil {
			renamed = append(renamed, "--"+name, "--load-"+name)
		}
	}
	mentions := strings.NewReplacer(renamed...)
	for _, name := range names {
		flag := *s.loaded.Flags().Lookup(name)
		if slices.Contains(renamed, "--"+name) {
			flag.Name, flag.Shorthand = "load-"+name, ""
		}
		flag.Usage = mentions.Replace(flag.Usage)
		fs.AddFlag(&flag)
		s.bound[name] = &flag
		s.names = append(s.names, flag.Name)
	}
}

// checkLoad rejects values that are invalid for any target.
func (s *sharedLoad) checkLoad() error {
	for name, flag := range s.bound {
		s.loaded.Flags().Lookup(name).Changed = flag.Changed
	}
	return s.renamed(s.load.check(s.loaded))
}

var flagName = regexp.MustCompile(`--?[A-Za-z][a-z0-9-]*`)

// renamed replaces the names of flags in an error of whet load by those of the command.
func (s *sharedLoad) renamed(err error) error {
	var e *diag.Error
	if !errors.As(err, &e) || e.Kind != diag.Usage {
		return err
	}
	fix := func(text string) string {
		return flagName.ReplaceAllStringFunc(text, func(given string) string {
			for name, flag := range s.bound {
				if flag.Name != name && (given == "--"+name || given == "-"+s.loaded.Flags().Lookup(name).Shorthand) {
					return "--" + flag.Name
				}
			}
			return given
		})
	}
	out := *e
	if out.Op, out.Hint = fix(e.Op), fix(e.Hint); e.Err != nil {
		if text := e.Err.Error(); fix(text) != text {
			out.Err = errors.New(fix(text))
		}
	}
	return &out
}
