package cli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/cli/progress"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/input/live"
	"github.com/whet-go/whet/internal/report/profiles"
)

// topLive shows what lines of a service cost, again and again, until ctx ends; then it prints the sum.
func (a *app) topLive(ctx context.Context, args []string, f *viewFlags, given func(string) bool) error {
	if len(args) != 1 || !input.IsURL(args[0]) {
		return diag.Usagef("top", "--live requires one address", "for example `whet top --live http://localhost:6060`")
	}
	for _, flag := range []string{
		"all", "cum", "mean", "by", "type", "base", "diff-base", "normalize", "tagroot", "tagleaf", "focus", "ignore",
		"hide", "show", "show-from", "prune-from", "tag-focus", "tag-ignore", "relative",
	} {
		if given(flag) {
			return diag.Usagef("top", "--live and --"+flag+" are mutually exclusive",
				"record first: `whet record "+plainAddress(args[0])+"`, then `whet top` with the filters")
		}
	}
	header, err := input.ParseHeaders(f.Header, "Authorization: Bearer TOKEN")
	if err != nil {
		return err
	}
	n := f.N
	if !given("number") {
		n = topLines
	}
	o := live.Options{URL: args[0], Name: plainAddress(args[0]), Own: f.Own, Header: header}
	o.Dir, _ = os.Getwd() // without it paths are less short
	if given("duration") {
		o.Total = f.Duration
	}
	a.progressf("profiling %s; Ctrl-C ends and prints the sum", o.Name)
	view := progress.NewLive(a.stderr, styleOf(a.stderr), a.live, max(n, 1))
	s, err := live.Run(ctx, o, view.Show)
	view.Stop()
	if err != nil {
		return err
	}
	if s == nil {
		return errors.New("interrupted before the first window ended")
	}
	a.warn(s.Warnings...)
	if f.JSON {
		s.Warnings = a.warned
		return a.writeJSON(s)
	}
	return a.write(func(w io.Writer) error { return profiles.WriteLiveSum(w, a.style, s, n) })
}
