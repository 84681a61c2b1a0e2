package guard

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/prove"
)

// Limits of a patch.
const (
	maxPatch = 1 << 20 // bytes
	maxFiles = 200
)

// An Edit replaces a part of a file.
type Edit struct {
	File string `json:"file"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// A Candidate is a patch as package prove reads it.
type Candidate struct {
	Text  string
	Files []string // relative to the module, with slashes; those outside of it begin with ../
}

// NewCandidate returns the change that a client requests, as a patch relative to the repository that contains the
// module in dir. It refuses what is not to be tried.
func NewCandidate(dir, patch string, edits []Edit) (*Candidate, error) {
	switch {
	case (patch == "") == (len(edits) == 0):
		return nil, &diag.Error{
			Op: "prove", Err: errors.New("want either a patch or edits"),
			Hint: "patch is a unified diff; edits replace text of files",
		}
	case len(patch) > maxPatch:
		return nil, fmt.Errorf("the patch has %d bytes (want at most %d)", len(patch), maxPatch)
	}
	if patch == "" {
		var err error
		if patch, err = patchOf(dir, edits); err != nil {
			return nil, err
		}
	}
	if !strings.HasSuffix(patch, "\n") {
		patch += "\n"
	}
	files, _, err := gitdiff.Parse(strings.NewReader(patch))
	if err == nil && len(files) == 0 {
		err = errors.New("it changes no files")
	}
	if err != nil {
		return nil, &diag.Error{
			Op: "read the patch", Err: err,
			Hint: "it must be a unified diff, as git diff writes it, with the right number of lines in each hunk; " +
				"edits need no numbers",
		}
	}
	if len(files) > maxFiles {
		return nil, fmt.Errorf("the patch changes %d files (want at most %d)", len(files), maxFiles)
	}
	root := dir
	if repository := above(dir, ".git"); repository != "" {
		root = repository
	}
	module, err := filepath.Rel(root, dir)
	if err != nil {
		return nil, err
	}
	return newCandidateIn(root, filepath.ToSlash(module), patch, files)
}

// newCandidateIn returns the files of a patch. Names relative to the module become relative to the repository in root.
func newCandidateIn(root, module, patch string, files []*gitdiff.File) (*Candidate, error) {
	has := func(parts ...string) bool {
		_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(path.Join(parts...))))
		return err == nil
	}
	c := &Candidate{Text: patch}
	var whole bytes.Buffer
	relative := false // to the module, not to the repository
	for _, f := range files {
		for _, name := range []*string{&f.OldName, &f.NewName} {
			if *name == "" {
				continue
			}
			if err := checkPatched(*name); err != nil {
				return nil, err
			}
			prefix, rest, ok := strings.Cut(*name, "/")
			if ok && (prefix == "a" || prefix == "b") && !has(prefix) && !has(module, prefix) {
				*name = rest // diff -u keeps prefixes
				if err := checkPatched(*name); err != nil {
					return nil, err
				}
			}
			if module != "." && !has(*name) && !strings.HasPrefix(*name, module+"/") && (has(module, *name) || f.IsNew) {
				relative, *name = true, path.Join(module, *name)
			}
			if throughLink(root, *name) {
				return nil, fmt.Errorf("apply the patch: %q is a symbolic link, or in a directory that is one", *name)
			}
			rel := strings.TrimPrefix(*name, module+"/")
			if module != "." && rel == *name {
				rel = "../" + *name
			}
			if !slices.Contains(c.Files, rel) {
				c.Files = append(c.Files, rel)
			}
		}
		whole.WriteString(f.String())
	}
	if relative {
		c.Text = whole.String()
	}
	return c, nil
}

// throughLink reports whether a file of root, or a directory above it, is a symbolic link.
func throughLink(root, name string) bool {
	for ; name != "." && name != "/"; name = path.Dir(name) {
		info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// checkPatched refuses to change a file.
func checkPatched(name string) error {
	fail := func(why, hint string) error {
		return &diag.Error{Op: "apply the patch", Subject: fmt.Sprintf("%q", name), Err: errors.New(why), Hint: hint}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) || strings.ContainsFunc(name, func(c rune) bool { return c < ' ' }) {
		return fail("it is outside of the repository", "leave this file out of the patch")
	}
	switch path.Base(name) {
	case "go.mod", "go.sum", "go.work", "go.work.sum":
		return fail("patches must not change which modules are built",
			"leave this file out; the user may change dependencies and prove that with whet prove")
	}
	return nil
}

// patchOf returns edits as a patch.
func patchOf(dir string, edits []Edit) (_ string, err error) {
	if len(edits) > maxFiles {
		return "", fmt.Errorf("there are %d edits (want at most %d)", len(edits), maxFiles)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	changes := prove.Changes{}
	for _, e := range edits {
		file := path.Clean(filepath.ToSlash(e.File))
		if err := checkPatched(file); err != nil {
			return "", err
		}
		c, ok := changes[file]
		if !ok {
			info, err := root.Lstat(file)
			switch {
			case errors.Is(err, fs.ErrNotExist) && e.Old == "":
				changes[file] = prove.Change{After: []byte(e.New)}
				continue
			case err != nil:
				return "", fmt.Errorf("edit %q: %w", e.File, err)
			case !info.Mode().IsRegular():
				return "", fmt.Errorf("edit %q: it is not a regular file", e.File)
			}
			if c.Before, err = root.ReadFile(file); err != nil {
				return "", fmt.Errorf("edit %q: %w", e.File, err)
			}
			c.After = c.Before
		}
		n := strings.Count(string(c.After), e.Old)
		if e.Old == "" || n != 1 {
			return "", &diag.Error{
				Op: "edit", Subject: fmt.Sprintf("%q", e.File),
				Err:  fmt.Errorf("the old text occurs %d times (want once)", max(n, 0)),
				Hint: "copy it from the source with its tabs, and enough of the lines around it",
			}
		}
		c.After = []byte(strings.Replace(string(c.After), e.Old, e.New, 1))
		changes[file] = c
	}
	diff := diffOf(changes)
	if len(diff) > maxPatch {
		return "", fmt.Errorf("the edits are a patch of %d bytes (want at most %d)", len(diff), maxPatch)
	}
	return diff, nil
}

// diffOf returns changes as a patch. Unlike Changes.Diff, it marks new files.
func diffOf(changes prove.Changes) string {
	var out strings.Builder
	for _, file := range slices.Sorted(maps.Keys(changes)) {
		c := changes[file]
		if c.Before != nil || len(c.After) == 0 {
			out.WriteString(prove.Changes{file: c}.Diff())
			continue
		}
		text, ended := strings.CutSuffix(string(c.After), "\n")
		lines := strings.Split(text, "\n")
		fmt.Fprintf(&out, "diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n+%s\n",
			file, file, file, len(lines), strings.Join(lines, "\n+"))
		if !ended {
			out.WriteString("\\ No newline at end of file\n")
		}
	}
	return out.String()
}
