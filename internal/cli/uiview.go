package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/server/files"
)

// uiViews lists the views of each kind of file. The first one is shown unless --view names another.
func uiViews() map[files.Kind][]string {
	profile := []string{"overview", "flame", "graph", "over-time"}
	return map[files.Kind][]string{
		files.Profile:   profile,
		files.Recording: append(slices.Clone(profile), "timeline", "load", "goroutines", "memory"),
		files.Trace:     {"timeline"},
		files.Load:      {"load"},
		files.Bench:     {"bench"},
		files.Findings:  {"findings"},
		files.Proof:     {"proof"},
		files.Fixes:     {"fixes"},
	}
}

// viewNames returns the names of all views, sorted.
func viewNames() []string {
	var all []string
	for _, views := range uiViews() {
		all = append(all, views...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// firstFlags are the sample type and the filters of the first view.
type firstFlags struct{ Type, Focus, Ignore, Hide string }

func (f *firstFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Type, "type", "", "begin with this `TYPE` of cost, as PROFILE:SAMPLETYPE")
	fs.StringVar(&f.Focus, "focus", "", "begin with only samples with a frame that matches `REGEXP`")
	fs.StringVar(&f.Ignore, "ignore", "", "begin without samples with a frame that matches `REGEXP`")
	fs.StringVar(&f.Hide, "hide", "", "begin without frames that match `REGEXP`")
}

// first returns the page to begin with: a view of the only file that is named or, if view is not "", that view of
// the first name, which must be a file.
func first(set *files.Set, names []string, view string, shown firstFlags) (string, error) {
	if view != "" && !slices.Contains(viewNames(), view) {
		return "", diag.Usagef("--view", fmt.Sprintf("unknown view %q (want %s)", view, strings.Join(viewNames(), ", ")), "")
	}
	f, ok := firstFile(set, names)
	switch {
	case view == "" && (!ok || len(names) > 1):
		if shown != (firstFlags{}) {
			return "", diag.Usagef("ui", "--type, --focus, --ignore and --hide are those of a first view", "name it with --view")
		}
		return "", nil
	case !ok:
		return "", diag.Usagef("--view", "no file is named first", "name it: `whet ui --view "+view+" demo.whet`")
	}
	has := uiViews()[f.Kind]
	if view == "" {
		view = has[0]
	} else if !slices.Contains(has, view) {
		return "", diag.Usagef("--view", fmt.Sprintf("%s is of kind %s, which has no view %q (want %s)", f.Name, f.Kind, view,
			strings.Join(has, ", ")), "")
	}
	query := url.Values{"file": {f.Name}}
	for name, value := range map[string]string{
		"type": shown.Type, "focus": shown.Focus, "ignore": shown.Ignore, "hide": shown.Hide,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return "/" + view + "?" + query.Encode(), nil
}

// firstFile returns the file that the first name is of; ok is false if it is of a directory, or of a file that
// cannot be shown.
func firstFile(set *files.Set, names []string) (f files.File, ok bool) {
	if len(names) == 0 {
		return f, false
	}
	if fi, err := os.Stat(names[0]); err != nil || fi.IsDir() {
		return f, false
	}
	list, _ := set.List()
	base := filepath.Base(names[0])
	i := slices.IndexFunc(list, func(f files.File) bool { return f.Name == base && len(uiViews()[f.Kind]) > 0 })
	if i < 0 {
		return f, false
	}
	return list[i], true
}
