package input

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/internal/goruntime"
	"github.com/whet-go/whet/profile"
	"github.com/whet-go/whet/unit"
)

// fewSamples is the number of samples below which percentages are unreliable: a share of 10% then
// has a standard error of at least 3 percentage points.
const fewSamples = 100

// warn adds the warnings for the reader of any view of in.
func (in *Input) warn(opt *Options) {
	if in.Profile.NumSamples() == 0 {
		in.warnEmpty()
		return
	}
	in.warnUnmatched()
	if n := sampleCount(in.Profile); n > 0 && n < fewSamples && len(opt.Base)+len(opt.DiffBase) == 0 {
		in.Warnings = append(in.Warnings, diag.Warning{
			Text: fmt.Sprintf("only %d samples: shares are rough", n),
			Hint: "profile for longer, or under more load",
		})
	}
	in.warnUnsymbolized()
	in.warnUnlabeled()
	in.warnOwn(opt.Own)
}

// warnEmpty warns that there are no samples, and why that may be.
func (in *Input) warnEmpty() {
	e := &diag.Error{Op: "the profile has no samples"}
	switch in.Type.Type {
	case "cpu", "samples":
		e.Hint = "the program did not use the CPU during the profile: profile it under load"
	case "contentions", "delay":
		e.Hint = "nothing waited, or the profile is disabled: " +
			"enable it with runtime.SetMutexProfileFraction(100) or runtime.SetBlockProfileRate(10000)"
	}
	in.Warnings.Add(e)
}

// warnUnlabeled warns if no sample has the label that the query groups by.
func (in *Input) warnUnlabeled() {
	if in.query.By != profile.ByLabel {
		return
	}
	if e := in.noLabel(in.query.LabelKey); e != nil {
		in.Warnings.Add(e)
	}
}

// noLabel returns the warning that no sample has a label with a key; nil if one has.
func (in *Input) noLabel(key string) error {
	keys := map[string]bool{}
	if in.Profile.HasLabels() {
		for i := range in.Profile.NumSamples() {
			for _, l := range in.Profile.Labels(i) {
				if l.Key == key {
					return nil
				}
				keys[l.Key] = true
			}
		}
	}
	e := &diag.Error{
		Op:   fmt.Sprintf("no sample has a label %q", key),
		Hint: "there are no labels in it; programs set them with runtime/pprof.Do",
	}
	if len(keys) > 0 {
		e.Hint = "the labels are " + strings.Join(slices.Sorted(maps.Keys(keys)), ", ")
	}
	return e
}

// warnOwn warns about each prefix of own code that matches no package.
func (in *Input) warnOwn(prefixes []string) {
	for _, prefix := range prefixes {
		own := profile.OwnMatcher([]string{prefix}, nil)
		if !slices.ContainsFunc(in.Profile.Functions, func(fn profile.Function) bool {
			return own(fn) && (prefix == "main" || profile.PackagePath(fn.Name) != "main")
		}) {
			in.Warnings = append(in.Warnings, diag.Warning{
				Text: fmt.Sprintf("--own %s is not a package in this profile", prefix),
				Hint: "list them with `--by package` or `--by module`",
			})
		}
	}
}

// warnUnsymbolized warns if most addresses have no function, which makes views by function useless.
func (in *Input) warnUnsymbolized() {
	p, bare := in.Profile, 0
	for i := range p.Locations {
		if p.Frames(uint32(i))[0].Function == profile.None {
			bare++
		}
	}
	if bare*2 > len(p.Locations) && in.query.By != profile.ByAddress {
		e := &diag.Error{
			Op:   fmt.Sprintf("%d of %d addresses have no function name", bare, len(p.Locations)),
			Hint: "view them with --by address, or with `whet pprof -top BINARY PROFILE` if you have the binary",
		}
		if slices.ContainsFunc(in.Opened, func(l *Opened) bool { return l.debug }) {
			e.Hint = "it is the text form: fetch the profile without ?debug=1, which includes the names"
		}
		in.Warnings.Add(e)
	}
}

// warnUnmatched warns about filters that match nothing, which is rarely intended.
func (in *Input) warnUnmatched() {
	for _, name := range in.View.Unmatched() {
		in.Warnings.Addf("--%s %s matches nothing", name, filter(in.query, name))
	}
	if in.View.Samples() == 0 && in.Profile.NumSamples() > 0 {
		in.Warnings.Addf("the filters keep no samples")
	}
}

// maxDepthSamples is roughly the number of stacks whose depth is examined.
const maxDepthSamples = 50_000

// warnTruncated warns if much of the weight is in stacks as deep as the runtime records: their
// callers are missing.
func (in *Input) warnTruncated() {
	p := in.Profile
	limit, cure := 128, "run the program with GODEBUG=profstackdepth=1024"
	for _, t := range p.SampleTypes {
		if t.Type == "cpu" {
			// maxCPUProfStack in package runtime; it cannot be raised.
			limit, cure = 64, "the limit of CPU profiles is fixed; --bottom-up views and `whet peek` do not need the callers"
		}
	}
	full, total := int64(0), int64(0)
	var stack []uint32
	// For a large profile, evenly spaced samples are enough.
	for i := 0; i < p.NumSamples(); i += max(1, p.NumSamples()/maxDepthSamples) {
		depth := 0
		stack = p.AppendStack(stack[:0], i)
		if len(stack) > limit {
			return // not recorded by a runtime with this limit
		}
		for _, loc := range stack {
			depth += int(p.Locations[loc].Num)
		}
		v := p.Value(i, in.query.Type)
		total += max(v, -v)
		if len(stack) == limit || depth == limit {
			full += max(v, -v)
		}
	}
	if full == 0 || full < total/20 || !hasGoRuntime(p) {
		return
	}
	in.Warnings = append(in.Warnings, diag.Warning{
		Text: fmt.Sprintf("%s of the cost is in stacks truncated at %d frames: their outermost callers are missing",
			unit.Percent(full, total), limit),
		Hint: cure,
	})
}

func hasGoRuntime(p *profile.Profile) bool {
	for i := range p.Functions {
		if goruntime.In(p.Functions[i].Name) {
			return true
		}
	}
	return false
}

// filter returns the text of the filter that View.Unmatched calls name.
func filter(q profile.Query, name string) string {
	re := map[string]*regexp.Regexp{
		"focus": q.Focus, "ignore": q.Ignore, "hide": q.Hide, "show": q.Show,
		"show-from": q.ShowFrom, "prune-from": q.PruneFrom,
	}[name]
	switch {
	case re != nil:
		return re.String()
	case name == "tag-focus":
		return q.TagFocus
	case name == "tag-ignore":
		return q.TagIgnore
	}
	return ""
}
