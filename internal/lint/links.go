package lint

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

var (
	// mdLink matches [text](target) and ![text](target), with or without a title.
	mdLink = regexp.MustCompile(`\]\(([^()\s]+)(?:\s+"[^"]*")?\)`)
	// mdHeading matches the text of an ATX heading.
	mdHeading = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	// mdCode matches a code span, in which links are plain text.
	mdCode = regexp.MustCompile("`[^`]*`")
)

// Links returns broken relative links in Markdown files: to a file that does not exist, or to a
// heading that the file lacks. Files below internal are templates of generated pages, which are
// checked instead.
func Links(repo fs.FS) ([]Problem, error) {
	var problems []Problem
	err := fs.WalkDir(repo, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == "internal" || skipFolder(name) {
				return fs.SkipDir
			}
			return nil
		}
		if path.Ext(name) != ".md" {
			return nil
		}
		text, err := fs.ReadFile(repo, name)
		if err != nil {
			return err
		}
		for i, line := range prose(text) {
			for _, m := range mdLink.FindAllSubmatch(mdCode.ReplaceAll(line, nil), -1) {
				if text := wrongLink(repo, name, string(m[1])); text != "" {
					problems = append(problems,
						Problem{fmt.Sprintf("%s:%d", name, i+1), text, "link to what is there, or remove the link"})
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk repository: %w", err)
	}
	return problems, nil
}

// wrongLink returns what is wrong with a link in a file, or "".
func wrongLink(repo fs.FS, from, link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return fmt.Sprintf("has a link that is not a URL: %q", link)
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	target := from
	if u.Path != "" {
		target = path.Join(path.Dir(from), u.Path)
	}
	if _, err := fs.Stat(repo, target); err != nil {
		return fmt.Sprintf("links to %q, which does not exist", link)
	}
	if u.Fragment == "" || path.Ext(target) != ".md" {
		return ""
	}
	text, err := fs.ReadFile(repo, target)
	if err != nil {
		return fmt.Sprintf("links to %q: %v", link, err)
	}
	if !anchors(text)[u.Fragment] {
		return fmt.Sprintf("links to %q, a heading that %s does not have", link, target)
	}
	return ""
}

// prose returns the lines of Markdown, with the lines of fenced code empty.
func prose(text []byte) [][]byte {
	lines := bytes.Split(text, []byte("\n"))
	fenced := false
	for i, line := range lines {
		fence := bytes.HasPrefix(bytes.TrimSpace(line), []byte("```"))
		if fenced || fence {
			lines[i] = nil
		}
		fenced = fenced != fence
	}
	return lines
}

// anchors returns the fragments of Markdown headings, as GitHub generates them.
func anchors(text []byte) map[string]bool {
	found := make(map[string]bool)
	for _, line := range prose(text) {
		m := mdHeading.FindSubmatch(line)
		if m == nil {
			continue
		}
		heading := mdLink.ReplaceAllString(string(m[1]), "]")
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			default:
				return -1
			}
		}, heading)
		name := slug
		for n := 1; found[name]; n++ {
			name = fmt.Sprintf("%s-%d", slug, n)
		}
		found[name] = true
	}
	return found
}
