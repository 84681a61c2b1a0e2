package versions

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// base is a repository whose module is in a directory.
const base = `
-- README.md --
about
-- m/go.mod --
module example.com/m

go 1.26
-- m/a.go --
package m

const a = 1
-- m/gone.go --
package m

const gone = 1
-- m/empty.txt --
`

func write(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	settings := []string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"}
	cmd := exec.Command("git", slices.Concat(settings, args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// repo creates a repository with two commits, the second one tagged "two", and uncommitted work.
func repo(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	dir := t.TempDir()
	write(t, dir, base)
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "one")
	git(t, dir, "tag", "one")
	write(t, dir, "-- m/a.go --\npackage m\n\nconst a = 2\n-- m/new.go --\npackage m\n-- README.md --\nmore\n")
	if err := os.Remove(filepath.Join(dir, "m", "gone.go")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "two")
	write(t, dir, "-- m/a.go --\npackage m\n\nconst a = 3\n-- m/untracked.go --\npackage m\n"+
		"-- .gitignore --\n*.log\n-- m/x.log --\nlog\n")
	return dir
}

// snapshot returns all files of a directory, including git's except its logs.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	if err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(name)
		files[name] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// differences returns "name: before -> after" of a pair's changed files, and what else is listed.
func differences(t *testing.T, p *Pair, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(t.TempDir(), "copy")
	if err := p.Tree.Fill(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	d, err := p.Changed(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	text := func(data []byte) string {
		if data == nil {
			return "none"
		}
		return strings.TrimSpace(strings.TrimPrefix(string(data), "package m"))
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.Files)) {
		b.WriteString(name + ": " + text(d.Files[name].Before) + " -> " + text(d.Files[name].After) + "\n")
	}
	b.WriteString("outside: " + strings.Join(d.Outside, " ") + "; links: " + strings.Join(d.Links, " "))
	return b.String()
}

// TestGit reads uncommitted work and revisions, and leaves the repository as it is.
func TestGit(t *testing.T) {
	dir := repo(t)
	m := filepath.Join(dir, "m")
	// Git would record in its index that these have only been touched.
	for _, name := range []string{"README.md", "m/go.mod", "m/empty.txt"} {
		if err := os.Chtimes(filepath.Join(dir, name), time.Time{}, time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, dir)
	for _, test := range []struct {
		name string
		pair func(ctx context.Context) (*Pair, error)
		want string
	}{
		{
			"work", func(ctx context.Context) (*Pair, error) { return Work(ctx, m, "HEAD") },
			"a.go: const a = 2 -> const a = 3\nuntracked.go: none -> \noutside: .gitignore; links: ",
		},
		{
			"work since the first", func(ctx context.Context) (*Pair, error) { return Work(ctx, m, "one") },
			"a.go: const a = 1 -> const a = 3\ngone.go: const gone = 1 -> none\nnew.go: none -> \n" +
				"untracked.go: none -> \noutside: .gitignore README.md; links: ",
		},
		{
			"revisions", func(ctx context.Context) (*Pair, error) { return Revisions(ctx, m, "one..HEAD") },
			"a.go: const a = 1 -> const a = 2\ngone.go: const gone = 1 -> none\nnew.go: none -> \noutside: README.md; links: ",
		},
		{
			"back", func(ctx context.Context) (*Pair, error) { return Revisions(ctx, m, "..one") },
			"a.go: const a = 2 -> const a = 1\ngone.go: none -> const gone = 1\nnew.go:  -> none\noutside: README.md; links: ",
		},
		{
			"ancestor", func(ctx context.Context) (*Pair, error) { return Revisions(ctx, m, "one...") },
			"a.go: const a = 1 -> const a = 2\ngone.go: const gone = 1 -> none\nnew.go: none -> \noutside: README.md; links: ",
		},
	} {
		p, err := test.pair(t.Context())
		if got := differences(t, p, err); got != test.want {
			t.Errorf("%s: %s\nwant %s", test.name, got, test.want)
		}
	}
	if after := snapshot(t, dir); !maps.Equal(before, after) {
		t.Error("the repository has changed")
	}
	for _, spec := range []string{"nope..HEAD", "--output=x..HEAD", "HEAD..nope"} {
		if _, err := Revisions(t.Context(), m, spec); err == nil || !strings.Contains(err.Error(), "unknown revision") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	_, err := Work(t.Context(), t.TempDir(), "HEAD")
	if err == nil || !strings.Contains(err.Error(), "not in a git repository") {
		t.Errorf("no repository: %v", err)
	}
}

// TestLinks lists a link that changes, and does not follow it.
func TestLinks(t *testing.T) {
	dir := repo(t)
	m := filepath.Join(dir, "m")
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(m, "a.go")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.go", "link.go"} {
		if err := os.Symlink(secret, filepath.Join(m, name)); err != nil {
			t.Skip(err)
		}
	}
	p, err := Work(t.Context(), m, "HEAD")
	want := "untracked.go: none -> \noutside: .gitignore; links: m/a.go m/link.go"
	if got := differences(t, p, err); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestDirs compares directories without a repository.
func TestDirs(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	write(t, a, base)
	write(t, b, strings.Replace(base, "const a = 1", "const a = 5", 1)+"-- m/b.go --\npackage m\n")
	p, err := Dirs(t.Context(), filepath.Join(a, "m"), filepath.Join(b, "m"))
	want := "a.go: const a = 1 -> const a = 5\nb.go: none -> \noutside: ; links: "
	if got := differences(t, p, err); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// TestPatch applies patches, and refuses others with the place.
func TestPatch(t *testing.T) {
	dir := repo(t)
	m := filepath.Join(dir, "m")
	if err := os.Symlink(t.TempDir(), filepath.Join(m, "away")); err != nil {
		t.Skip(err)
	}
	diff := git(t, dir, "diff", "HEAD")
	git(t, dir, "checkout", "-q", "m/a.go")
	apply := func(text string) (*Pair, error) { return Patch(t.Context(), m, "x.patch", strings.NewReader(text)) }
	p, err := apply(diff)
	if got, want := differences(t, p, err), "a.go: const a = 2 -> const a = 3\noutside: ; links: "; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	renamed := "diff --git a/m/a.go b/m/b.go\nsimilarity index 90%\nrename from m/a.go\nrename to m/b.go\n" +
		"--- a/m/a.go\n+++ b/m/b.go\n@@ -1,3 +1,3 @@\n package m\n \n-const a = 2\n+const a = 7\n"
	p, err = apply(renamed)
	want := "a.go: const a = 2 -> none\nb.go: none -> const a = 7\noutside: ; links: "
	if got := differences(t, p, err); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	plain := strings.Join(strings.SplitAfter(diff, "\n")[2:], "") // in the form that diff -u writes
	p, err = apply(plain)
	want = "a.go: const a = 2 -> const a = 3\noutside: ; links: "
	if got := differences(t, p, err); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		"":                  "changes no files",
		"not a patch":       "changes no files",
		"@@ -1 +1 @@\n-a\n": "x.patch",
		strings.Replace(diff, "const a = 2", "const a = 9", 1):   "hunk 1 of 1 (@@ -1,3 +1,3 @@) does not apply at line 3",
		strings.ReplaceAll(diff, "m/a.go", "../x.go"):            "outside the repository",
		strings.ReplaceAll(diff, "m/a.go", ".git/config"):        "outside the repository",
		"--- b/../x.go\n+++ b/../x.go\n@@ -1 +1 @@\n-a\n+b\n":    "outside the repository",
		"--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+b\n": "outside the repository",
		strings.ReplaceAll(diff, "m/a.go", "m/away/a.go"):        "directory that is a symbolic link",
		strings.ReplaceAll(diff, "m/a.go", "m/nope.go"):          "does not exist",
		"diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n" +
			"\\ No newline at end of file\n": "symbolic link",
		"diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n": "binary",
	} {
		p, err := apply(text)
		if err == nil {
			root := filepath.Join(t.TempDir(), "copy")
			if err := p.Tree.Fill(t.Context(), root); err != nil {
				t.Fatal(err)
			}
			_, err = p.Changed(t.Context(), root)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
}

// FuzzPatch applies any patch without a panic, and changes nothing outside of the directory.
func FuzzPatch(f *testing.F) {
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\nconst a = 1\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	f.Add("--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n package a\n \n-const a = 1\n+const a = 2\n")
	f.Add("diff --git a/a.go b/a.go\ndeleted file mode 100644\n--- a/a.go\n+++ /dev/null\n@@ -1,3 +0,0 @@\n" +
		"-package a\n-\n-const a = 1\n")
	f.Add("--- b/../x.go\n+++ b/../x.go\n@@ -1 +1 @@\n-a\n+b\n")
	f.Add("diff --git a/a.go b/b.go\nrename from a.go\nrename to b.go\n")
	f.Fuzz(func(t *testing.T, text string) {
		files, err := parsePatch("x", strings.NewReader(text))
		if err != nil {
			return
		}
		after, err := applyPatch("x", dir, files)
		if err != nil {
			return
		}
		for name := range after {
			if !filepath.IsLocal(name) {
				t.Errorf("%q", name)
			}
		}
	})
}
