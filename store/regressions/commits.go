package regressions

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

// Limits on what is read of a repository.
const (
	maxCommits = 50      // of a deploy
	maxSource  = 4 << 20 // bytes of a file
	gitTime    = 20 * time.Second
)

// git runs git in a directory and returns its output, at most limit bytes of it.
func git(ctx context.Context, dir string, limit int, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{&out, limit}, &limited{&errs, 4 << 10}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if text, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n"); text != "" {
			err = errors.New(text)
		}
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.String(), nil
}

// limited writes the first bytes to a buffer and drops the rest.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	l.to.Write(b[:n])
	return len(b), nil
}

// revision finds a commit in the name of a version: a hash, one after a dash as in v1.2.3-5-gabcdef0
// and in pseudo-versions, or a tag.
var revision = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._/+-]{0,127}$`)

func (d *Deploy) before() string { return cmp.Or(d.RevisionBefore, d.Before) }
func (d *Deploy) after() string  { return cmp.Or(d.RevisionAfter, d.After) }

// resolve returns the hash of a version's commit; "" if the repository does not have it.
func resolve(ctx context.Context, dir, version string) string {
	names := []string{version}
	if i := strings.LastIndexAny(version, "-."); i >= 0 {
		names = append(names, strings.TrimPrefix(version[i+1:], "g"))
	}
	for _, name := range names {
		if !revision.MatchString(name) {
			continue
		}
		out, err := git(ctx, dir, 200, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
		if hash := strings.TrimSpace(out); err == nil && hash != "" {
			return hash
		}
	}
	return ""
}

// Annotate adds commits of the git repository in dir to deploys, and the text of lines. Deploys whose
// builds it does not have get a warning.
func (r *Report) Annotate(ctx context.Context, dir string) error {
	if _, err := git(ctx, dir, 200, "rev-parse", "--git-dir"); err != nil {
		return &diag.Error{
			Op: "--repo", Subject: dir, Err: err, Hint: "name a directory of the git repository that the service is built from",
		}
	}
	src := sources{dir: dir, files: map[string][]string{}, lists: map[string][]string{}}
	known := map[string]string{}
	hash := func(version string) string {
		if _, ok := known[version]; !ok {
			known[version] = resolve(ctx, dir, version)
		}
		return known[version]
	}
	for s := range r.Services {
		deploys := r.Services[s].Deploys
		for i := range deploys {
			d := &deploys[i]
			before, after := hash(d.before()), hash(d.after())
			if before == "" || after == "" {
				r.Warnings = append(r.Warnings, diag.Warning{Text: fmt.Sprintf(
					"%s: the repository does not have the commits of both %s and %s", r.Services[s].Name, d.before(), d.after())})
				continue
			}
			var err error
			if d.Commits, d.More, err = commits(ctx, dir, before, after); err != nil {
				return &diag.Error{Op: "--repo", Subject: dir, Err: err}
			}
		}
	}
	for _, list := range [][]Change{r.Regressions, r.Improvements, r.Gone} {
		for i := range list {
			src.lines(ctx, &list[i], hash)
		}
	}
	for i := range r.Shifts {
		src.lines(ctx, &r.Shifts[i].To, hash)
	}
	return ctx.Err()
}

// commits lists the commits that b has and a has not, newest first, and how many more there are.
func commits(ctx context.Context, dir, a, b string) (list []Commit, more int, err error) {
	out, err := git(ctx, dir, 1<<20, "log", "--no-show-signature", fmt.Sprint("-n", 10*maxCommits),
		"--format=%H%x00%cI%x00%s", a+".."+b)
	if err != nil {
		return nil, 0, err
	}
	for line := range strings.Lines(out) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), "\x00", 3)
		if len(parts) != 3 {
			continue
		}
		if len(list) == maxCommits {
			more++
			continue
		}
		at, err := time.Parse(time.RFC3339, parts[1])
		if err != nil {
			return nil, 0, fmt.Errorf("git log: %w", err)
		}
		list = append(list, Commit{Hash: parts[0], Time: at.UTC(), Subject: parts[2]})
	}
	return list, more, nil
}

// sources reads files of commits.
type sources struct {
	dir   string
	files map[string][]string // lines, by commit and path
	lists map[string][]string // paths, by commit
}

// text returns a line of a file that a profile names; "" if the commit has no such file.
func (s *sources) text(ctx context.Context, hash, file string, line int) string {
	if hash == "" || file == "" || line <= 0 {
		return ""
	}
	paths, ok := s.lists[hash]
	if !ok {
		out, _ := git(ctx, s.dir, 8<<20, "ls-tree", "-r", "--name-only", "--full-tree", hash) // without it there is no text
		paths = strings.Split(strings.TrimSpace(out), "\n")
		s.lists[hash] = paths
	}
	// The profile has the path of the machine that built it, or that of the module.
	best := ""
	for _, p := range paths {
		if (file == p || strings.HasSuffix(file, "/"+p)) && len(p) > len(best) {
			best = p
		}
	}
	if best == "" {
		return ""
	}
	lines, ok := s.files[hash+best]
	if !ok {
		out, _ := git(ctx, s.dir, maxSource, "cat-file", "blob", hash+":"+best) // as above
		lines = strings.Split(out, "\n")
		s.files[hash+best] = lines
	}
	if line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// lines adds the text of a change's lines, and joins those that only moved: the same text, where one
// was before and the other is after.
func (s *sources) lines(ctx context.Context, c *Change, hash func(version string) string) {
	if c.Deploy == nil {
		return
	}
	before, after := hash(c.Deploy.before()), hash(c.Deploy.after())
	for i := range c.Lines {
		l := &c.Lines[i]
		if l.Code = s.text(ctx, after, c.File, l.LineAfter); l.Code == "" {
			l.Code = s.text(ctx, before, c.File, l.LineBefore)
		}
	}
	for i := 0; i < len(c.Lines); i++ {
		l := c.Lines[i]
		j := slices.IndexFunc(c.Lines, func(o LineChange) bool {
			return l.Code != "" && o.Code == l.Code &&
				(l.LineBefore == 0 && o.LineAfter == 0 || l.LineAfter == 0 && o.LineBefore == 0)
		})
		if j <= i {
			continue
		}
		o := c.Lines[j]
		l.LineBefore, l.LineAfter = cmp.Or(l.LineBefore, o.LineBefore), cmp.Or(l.LineAfter, o.LineAfter)
		l.Before, l.After = max(l.Before, o.Before), max(l.After, o.After)
		l.Change, l.Low, l.High = l.Change+o.Change, l.Low+o.Low, l.High+o.High
		if l.Relative = 0; l.Before > 0 {
			l.Relative = l.Change / l.Before
		}
		c.Lines[i] = l
		c.Lines = slices.Delete(c.Lines, j, j+1)
	}
}
