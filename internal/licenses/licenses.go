package licenses

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// A Component is a third-party module or package in a binary.
type Component struct {
	Name, Version string
	Licenses      []string // SPDX identifiers, sorted; none if no license was recognized
	Files         []File   // license and notice files; none for npm packages, whose texts are in NOTICE
}

// A File is a license or notice.
type File struct {
	Name string // relative to the module, with slashes
	Text string
}

// Allowed reports whether a binary may contain a component under a license, on the terms that
// THIRD_PARTY.md and NOTICE meet.
func Allowed(spdx string) bool {
	return slices.Contains([]string{
		"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "0BSD", publicDomain,
	}, spdx)
}

// covered is the least share of a license file that must be recognized, in percent.
const covered = 75

var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-.].*)?$`)

// List returns the modules linked into packages on any of the operating systems, by name.
func List(ctx context.Context, dir string, systems, packages []string) ([]Component, error) {
	found := map[string]*Component{}
	for _, system := range systems {
		cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Dir,Module"}, packages...)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w\n%s", system, err, stderr.Bytes())
		}
		if err := add(found, out); err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
	}
	var all []Component
	for _, c := range found {
		for _, f := range c.Files {
			c.Licenses = append(c.Licenses, identify([]byte(f.Text))...)
		}
		slices.Sort(c.Licenses)
		c.Licenses = slices.Compact(c.Licenses)
		slices.SortFunc(c.Files, func(a, b File) int { return cmp.Compare(a.Name, b.Name) })
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Component) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// add adds the packages in go list's output.
func add(found map[string]*Component, out []byte) error {
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path string }
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		m := p.Module
		if m == nil || m.Main {
			continue
		}
		if m.Replace != nil {
			return fmt.Errorf("%s is replaced by %s: releases contain published modules only", m.Path, m.Replace.Path)
		}
		c := found[m.Path]
		if c == nil {
			c = &Component{Name: m.Path, Version: m.Version}
			found[m.Path] = c
		}
		rel, err := filepath.Rel(m.Dir, p.Dir)
		if err != nil {
			return err
		}
		for sub := filepath.ToSlash(rel); ; sub = path.Dir(sub) {
			if err := c.read(m.Dir, sub); err != nil {
				return err
			}
			if sub == "." {
				break
			}
		}
	}
}

// read adds the license files of a directory of the module.
func (c *Component) read(module, sub string) error {
	entries, err := os.ReadDir(filepath.Join(module, sub))
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(sub, e.Name())
		has := slices.ContainsFunc(c.Files, func(f File) bool { return f.Name == name })
		if has || e.IsDir() || !licenseName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return err
		}
		c.Files = append(c.Files, File{name, string(text)})
	}
	return nil
}

// identify returns the licenses in a text; "unknown" for a text that is mostly something else.
// Notices and patent grants add nothing to the license they come with.
func identify(text []byte) []string {
	if bytes.HasPrefix(text, []byte("SQLite Is Public Domain\n")) {
		return []string{publicDomain} // which licensecheck does not know
	}
	if ids := linkedLicenses(string(text)); len(ids) > 0 {
		return ids
	}
	cov := licensecheck.Scan(text)
	if len(cov.Match) == 0 && isNotice(text) {
		return nil
	}
	if cov.Percent < covered && !isNotice(text) && !isCollection(text) {
		return []string{"unknown"}
	}
	var ids []string
	for _, m := range cov.Match {
		if !m.IsURL && m.ID != "GooglePatentsFile" {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

// publicDomain stands for a dedication to the public domain, which has no SPDX identifier.
const publicDomain = "Public-Domain"

// linkedLicenses returns the licenses in the table of what is linked into programs, in a list of all
// modules that a module refers to; nil for other texts.
func linkedLicenses(text string) (ids []string) {
	_, text, _ = strings.Cut(text, "\n## 1. Components linked into your program\n")
	text, _, _ = strings.Cut(text, "\n## ")
	for line := range strings.Lines(text) {
		columns := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| [") || len(columns) < 4 {
			continue
		}
		for _, id := range strings.Split(columns[2], ", ") {
			switch id {
			case "attribution reference": // not a license
			case "public domain":
				ids = append(ids, publicDomain)
			default:
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// isCollection reports whether a text lists other components with their licenses.
func isCollection(text []byte) bool { return bytes.HasPrefix(text, []byte("# Third-Party ")) }

// isNotice reports whether a text is an attribution or a patent grant.
func isNotice(text []byte) bool {
	return bytes.Contains(text, []byte("Additional IP Rights Grant")) || bytes.Count(text, []byte("\n")) < 12
}

// Bundled returns the npm packages in ui/package-lock.json that the pages contain.
func Bundled(repo fs.FS) ([]Component, error) {
	data, err := fs.ReadFile(repo, "ui/package-lock.json")
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("ui/package-lock.json: %w", err)
	}
	var all []Component
	for name, p := range lock.Packages {
		if name == "" || p.Dev {
			continue
		}
		_, name, _ = strings.Cut(name, "node_modules/")
		c := Component{Name: name, Version: p.Version}
		if p.License != "" {
			c.Licenses = []string{p.License}
		}
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Component) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// Page returns THIRD_PARTY.md.
func Page(modules, bundled []Component) []byte {
	var b bytes.Buffer
	b.WriteString("# Third-party software\n\nThe binaries of whet contain the modules below. " +
		"`make goldens` writes this page.\n[NOTICE](NOTICE) has the licenses of Graphviz and of the npm packages.\n" +
		"Go's standard library is under the license of golang.org/x/sys.\n\n" +
		"| Go module | version | license |\n|---|---|---|\n")
	for _, c := range modules {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Version, strings.Join(c.Licenses, ", "))
	}
	b.WriteString("\n| npm package | version | license |\n|---|---|---|\n")
	for _, c := range bundled {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, c.Version, strings.Join(c.Licenses, ", "))
	}
	b.WriteString("\n## Texts\n")
	users := map[string][]string{}
	var texts []string
	for _, c := range modules {
		for _, f := range c.Files {
			if users[f.Text] == nil {
				texts = append(texts, f.Text)
			}
			users[f.Text] = append(users[f.Text], c.Name+": "+f.Name)
		}
	}
	for _, text := range texts {
		plain := strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		fmt.Fprintf(&b, "\n### %s\n\n", users[text][0])
		if others := users[text][1:]; len(others) > 0 {
			fmt.Fprintf(&b, "The same text is in:\n\n- %s\n\n", strings.Join(others, "\n- "))
		}
		fence := "```"
		for strings.Contains(plain, fence) {
			fence += "`"
		}
		fmt.Fprintf(&b, "%stext\n%s\n%s\n", fence, plain, fence)
	}
	return b.Bytes()
}
