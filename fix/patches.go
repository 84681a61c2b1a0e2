package fix

import (
	"fmt"
	"strings"

	"github.com/whet-go/whet/bench/ab"
	"github.com/whet-go/whet/find"
	"github.com/whet-go/whet/find/rules/rewrite"
	"github.com/whet-go/whet/prove"
)

// A Patch is a kept rewrite as a mail for git am.
type Patch struct {
	Name string // file name: 0001-….patch
	Text string
}

// Patches returns the kept rewrites in order, each with its evidence and proof in the message. from
// is the author, as "Name <address>".
func (r *Result) Patches(from string) []Patch {
	kept := r.Kept()
	patches := make([]Patch, 0, len(kept))
	for i, a := range kept {
		dir, _, _ := strings.Cut(a.Finding.Places[0].File, "/")
		dir = rewrite.QuoteName(dir)
		if !strings.Contains(a.Finding.Places[0].File, "/") {
			dir = "main"
		}
		subject := dir + ": " + lowerFirst(a.Finding.Fix.Message) + " (" + a.Finding.Function + ")"
		var b strings.Builder
		// The first line is the one that git writes; git am accepts any.
		fmt.Fprintf(&b, "From %040d Mon Sep 17 00:00:00 2001\nFrom: %s\nSubject: [PATCH %d/%d] %s\n\n", 0, from,
			i+1, len(kept), subject)
		if r.Version != "" {
			fmt.Fprintf(&b, "For %s@%s.\n\n", r.Module, r.Version)
		}
		b.WriteString(a.message())
		b.WriteString("\n---\n\n")
		b.WriteString(a.Diff)
		b.WriteString("-- \nwhet\n")
		patches = append(patches, Patch{
			Name: fmt.Sprintf("%04d-%s.patch", i+1, slug(a.Finding.Rule+"-"+a.Finding.Function)), Text: b.String(),
		})
	}
	return patches
}

func lowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// slug converts a text to a part of a file name.
func slug(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// message returns the message of a commit: what is expensive, what the profile showed, and the
// proof.
func (a *Attempt) message() string {
	var b strings.Builder
	x := &a.Finding
	fmt.Fprintf(&b, "%s:%d: %s.\n\n", rewrite.QuoteName(x.Places[0].File), x.Places[0].Line, x.Why)
	if x.Tier == find.Proposed && x.Safe != "" {
		fmt.Fprintf(&b, "It was proposed, and is kept because of the proof below. %s\n\n", x.Safe)
	}
	for _, e := range x.Evidence {
		fmt.Fprintf(&b, "%s: %.1f%% of the profile\n", e.Cost, 100*e.Share)
	}
	for _, shared := range x.Shared {
		for _, e := range shared.Evidence {
			fmt.Fprintf(&b, "%s: %.1f%% of the profile, charged to %s\n", e.Cost, 100*e.Share, shared.With)
		}
	}
	if a.Round > 1 {
		fmt.Fprintf(&b, "\nFound in pass %d, with the patches before it applied.\n", a.Round)
	}
	switch {
	case a.Tested == 0 && a.Answers != nil:
		b.WriteString("\nIt builds, and go vet reports nothing new. No package that it can affect has tests.\n")
	case a.Tested > 0:
		fmt.Fprintf(&b, "\nIt builds, go vet reports nothing new, and the tests of all packages it can affect (%d) pass",
			a.Tested)
		if a.Ignored > 0 {
			fmt.Fprintf(&b, ", except for those that already failed or are flaky (%d)", a.Ignored)
		}
		b.WriteString(".\n")
	}
	if a.Answers != nil && len(a.Answers.Functions) > 0 {
		distinct := ""
		if a.Answers.Distinct > 0 {
			distinct = fmt.Sprintf(", with %d distinct answers", a.Answers.Distinct)
		}
		fmt.Fprintf(&b, "\nThe old and the new %s behave the same on %d inputs%s.\n",
			strings.Join(a.Answers.Functions, ", "), a.Answers.Inputs, distinct)
	}
	if a.Answers != nil {
		for _, not := range a.Answers.NotCompared {
			fmt.Fprintf(&b, "%s.\n", not)
		}
	}
	if a.Unproven != "" {
		fmt.Fprintf(&b, "Unproven, needs review: %s.\n", a.Unproven)
	}
	if a.Measured != nil && a.Measured.AB != nil {
		b.WriteString("\n")
		if a.Measured.Written != "" {
			b.WriteString("No benchmark of the module runs this line, so whet generated one, with generated inputs. ")
			for _, path := range a.Measured.Paths {
				b.WriteString("Path: " + path + ". ")
			}
		}
		b.WriteString("Measured in interleaved rounds")
		if a.Together > 0 {
			others := "others"
			if a.Together == 1 {
				others = "other"
			}
			fmt.Fprintf(&b, ", together with %d %s, because each alone gains too little to measure", a.Together, others)
		}
		b.WriteString(":\n\n")
		for _, s := range a.Measured.AB.Subjects {
			for i := range s.Units {
				if u := &s.Units[i]; u.Verdict == ab.Better || u.Verdict == ab.Worse {
					b.WriteString(prove.Figure(s.Name, u) + "\n")
				}
			}
		}
		for _, open := range a.Open {
			b.WriteString("undecided: " + open + "\n")
		}
		for _, loss := range a.IgnoredLosses {
			b.WriteString("slower: " + loss + "\n")
		}
	}
	return b.String()
}
