package blocks

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An Editor says how a page links places in source to an editor. The zero value has no links.
type Editor struct {
	url string // with {path}, {file} and {line}
	dir string
}

// NoEditor is the name of an editor for NewEditor that has no links.
const NoEditor = "none"

// DefaultEditor is the name of the editor that links open unless the user names another.
const DefaultEditor = "vscode"

// editors are the addresses of editors by their names.
func editors() map[string]string {
	return map[string]string{
		NoEditor:      "",
		DefaultEditor: "vscode://file{path}:{line}",
		"cursor":      "cursor://file{path}:{line}",
		"zed":         "zed://file{path}:{line}",
		"idea":        "idea://open?file={path}&line={line}",
	}
}

// EditorNames returns the names that NewEditor knows, sorted.
func EditorNames() []string {
	var names []string
	for name := range editors() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// scheme matches the start of an address.
var scheme = regexp.MustCompile(`^([a-z][a-z0-9+.-]*):`)

// NewEditor returns the editor of a name, or of an address in which {path} stands for the absolute path of a
// file, {file} for its path in dir, and {line} for the line. dir is the directory that relative names of files
// are in; it is made absolute.
func NewEditor(nameOrURL, dir string) (Editor, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Editor{}, fmt.Errorf("find the directory of source: %w", err)
	}
	if address, ok := editors()[nameOrURL]; ok {
		return Editor{address, dir}, nil
	}
	m := scheme.FindStringSubmatch(strings.ToLower(nameOrURL))
	switch {
	case m == nil:
		return Editor{}, fmt.Errorf("unknown editor %.40q (want %s or an address)", nameOrURL,
			strings.Join(EditorNames(), ", "))
	case slices.Contains([]string{"javascript", "data", "vbscript", "blob"}, m[1]):
		return Editor{}, fmt.Errorf("addresses with %s: can run scripts", m[1])
	case !strings.Contains(nameOrURL, "{path}") && !strings.Contains(nameOrURL, "{file}"):
		return Editor{}, errors.New("the address has neither {path} nor {file}")
	}
	return Editor{nameOrURL, dir}, nil
}

// Template returns the address of a place in the directory: {file} stands for the path in it, of which slashes are kept
// and all else is escaped, and {line} for the line; "" if there are no links.
func (e Editor) Template() string {
	dir := filepath.ToSlash(e.dir)
	if !strings.HasPrefix(dir, "/") { // C:/
		dir = "/" + dir
	}
	return strings.ReplaceAll(e.url, "{path}", strings.TrimSuffix(escapePath(dir), "/")+"/{file}")
}

// link returns the address of a place such as dir/file.go:7; "" if the page has no links, or it names no
// file.
func (e Editor) link(place string) string {
	file, number, ok := cutLast(place)
	if e.url == "" || !ok {
		return ""
	}
	return e.address(file, number)
}

// hunk returns the address of the first of the lines of a diff, if that names a file: of where its first hunk
// begins in the old version, which is what the module has.
func (e Editor) hunk(lines []diffLine) string {
	if e.url == "" || len(lines) < 2 || lines[0].Kind != "file" || lines[1].Kind != "at" {
		return ""
	}
	start, _, _ := strings.Cut(strings.TrimPrefix(lines[1].Text, "@@ -"), " ")
	start, _, _ = strings.Cut(start, ",")
	n, err := strconv.Atoi(start)
	if err != nil {
		return ""
	}
	return e.address(lines[0].Text, max(n, 1))
}

// address returns the address of a line of a file; "" for a name that is not of a file.
func (e Editor) address(file string, line int) string {
	if e.url == "" || file == "" || strings.ContainsAny(file, "\x00\n") {
		return ""
	}
	whole := filepath.FromSlash(file)
	if !filepath.IsAbs(whole) {
		if !filepath.IsLocal(whole) {
			return ""
		}
		whole = filepath.Join(e.dir, whole)
	}
	slashed := filepath.ToSlash(whole)
	if !strings.HasPrefix(slashed, "/") { // C:/
		slashed = "/" + slashed
	}
	return strings.NewReplacer("{path}", escapePath(slashed), "{file}", escapePath(path.Clean(filepath.ToSlash(file))),
		"{line}", strconv.Itoa(line)).Replace(e.url)
}

// escapePath escapes what has a meaning in addresses, except slashes.
func escapePath(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(parts[i]), "+", "%20")
	}
	return strings.Join(parts, "/")
}

// cutLast divides file.go:7.
func cutLast(place string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(place, ':')
	if i <= 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(place[i+1:])
	return place[:i], n, err == nil && n > 0
}
