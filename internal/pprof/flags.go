package pprof

import (
	"errors"
	"flag"
	"io"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// flagSet implements the driver's plugin.FlagSet with a separate flag set, so that nothing changes
// flag.CommandLine.
type flagSet struct {
	*flag.FlagSet
	args  []string
	ui    *ui
	extra []string
	texts map[string]*string // options with a text value, by name

	// afterParse may inspect the sources and change options. Its error makes Parse fail.
	afterParse func(sources []string, texts map[string]*string) error

	help bool  // help was requested and shown
	err  error // what was wrong with the options
}

func newFlagSet(args []string, ui *ui) *flagSet {
	fs := flag.NewFlagSet("pprof", flag.ContinueOnError)
	fs.SetOutput(io.Discard) // errors are returned
	return &flagSet{FlagSet: fs, args: args, ui: ui, texts: map[string]*string{}}
}

func (f *flagSet) String(name, def, usage string) *string {
	p := f.FlagSet.String(name, def, usage)
	f.texts[name] = p
	return p
}

// StringList collects every use of the option.
func (f *flagSet) StringList(name, def, usage string) *[]*string {
	list := &[]*string{}
	if def != "" {
		*list = append(*list, &def)
	}
	f.Func(name, usage, func(v string) error {
		*list = append(*list, &v)
		return nil
	})
	return list
}

func (f *flagSet) ExtraUsage() string { return strings.Join(f.extra, "\n") }

func (f *flagSet) AddExtraUsage(text string) { f.extra = append(f.extra, text) }

// Parse returns the sources; nil stops the driver.
func (f *flagSet) Parse(usage func()) []string {
	switch err := f.FlagSet.Parse(f.args); {
	case errors.Is(err, flag.ErrHelp):
		f.help = true
		f.ui.helping(usage)
		return nil
	case err != nil:
		f.err = diag.Usagef("pprof", err.Error(), "`whet pprof --help` lists formats, options and sources")
		return nil
	}
	args := f.Args()
	if f.afterParse != nil && len(args) > 0 {
		if err := f.afterParse(args, f.texts); err != nil {
			f.err = err
			return nil
		}
	}
	return args
}
