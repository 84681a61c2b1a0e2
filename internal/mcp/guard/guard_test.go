package guard

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes a root with a module, and a directory outside of it, and returns both.
func tree(t *testing.T) (root, outside string) {
	t.Helper()
	t.Setenv("GOWORK", "")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, outside = filepath.Join(dir, "root"), filepath.Join(dir, "outside")
	for name, text := range map[string]string{
		"root/go.mod":              "module example.com/m\n\ngo 1.26\n",
		"root/a/a.go":              "package a\n\nconst A = 1\n",
		"root/cpu.pb.gz":           "x",
		"root/replaced/go.mod":     "module example.com/r\n\nreplace example.com/o => ../../outside\n",
		"root/inside/go.mod":       "module example.com/i\n\nreplace example.com/m => ../\n",
		"root/work/go.work":        "go 1.26\n\nuse (\n\t./m\n\t../../outside\n)\n",
		"root/work/m/go.mod":       "module example.com/w\n",
		"root/linked/go.mod":       "module example.com/l\n",
		"outside/out.go":           "package out\n",
		"outside/go.mod":           "module example.com/o\n",
		"outside/secret.pb.gz":     "s",
		"repository/.git/HEAD":     "",
		"repository/module/go.mod": "module example.com/n\n",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"root/link": outside, "root/inner": filepath.Join(root, "a"),
		"root/file.whet": filepath.Join(outside, "secret.pb.gz"), "root/linked/out.go": filepath.Join(outside, "out.go"),
		"root/linked/notes.txt": filepath.Join(outside, "secret.pb.gz"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err) // Windows, without the right to
		}
	}
	return root, outside
}

// TestRoots resolves names in the roots, and refuses those outside in the same words whether they exist or not.
func TestRoots(t *testing.T) {
	root, outside := tree(t)
	made := t.TempDir()
	r, err := New([]string{root}, made)
	if err != nil {
		t.Fatal(err)
	}
	const beyond = "outside of the roots"
	for _, test := range []struct {
		what string
		do   func(string) (string, error)
		name string
		want string // the path, relative to the root
		err  string // part of it
	}{
		{"existing", r.Existing, "a/a.go", "a/a.go", ""},
		{"existing", r.Existing, filepath.Join(root, "a"), "a", ""},
		{"existing", r.Existing, "inner/a.go", "a/a.go", ""},
		{"existing", r.Existing, "a/../../outside/go.mod", "", beyond},
		{"existing", r.Existing, "link/go.mod", "", beyond},
		{"existing", r.Existing, "link/none", "", "does not exist"},
		{"existing", r.Existing, "/etc/passwd", "", beyond},
		{"existing", r.Existing, "/etc/none", "", beyond},
		{"existing", r.Existing, root + "2", "", beyond},
		{"existing", r.Existing, "none", "", "does not exist"},
		{"existing", r.Existing, "a\x00/../..", "", "control characters"},
		{"recording", r.Recording, "cpu.pb.gz", "cpu.pb.gz", ""},
		{"recording", r.Recording, "", "", "no recording is named"},
		{"recording", r.Recording, "a", "", "not a regular file"},
		{"recording", r.Recording, "-o=x", "", "not the path"},
		{"recording", r.Recording, "http://127.0.0.1/", "", "not the path"},
		{"recording", r.Recording, "file.whet", "", beyond},
		{"output", r.Output, "a/new.whet", "a/new.whet", ""},
		{"output", r.Output, "a/a.go", "", "does not end in .whet"},
		{"output", r.Output, "link/new.whet", "", beyond},
		{"output", r.Output, "file.whet", "", "file already exists"},
		{"output", r.Output, "../new.whet", "", beyond},
		{"module", r.Module, "", ".", ""},
		{"module", r.Module, "a", ".", ""},
		{"module", r.Module, "inside", "inside", ""},
		{"module", r.Module, "replaced", "", "it is built from "},
		{"module", r.Module, "work/m", "", "it is built from "},
		{"module", r.Module, "link", "", beyond},
		{"module", r.Module, "linked", "", "it is built from "},
		{"module", r.Module, "-C", "", "not a directory"},
	} {
		got, err := test.do(test.name)
		if err == nil && got != filepath.Join(root, test.want) || err != nil && got != "" {
			t.Errorf("%s %q: %q, want %q", test.what, test.name, got, test.want)
		}
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s %q: %v, want %q", test.what, test.name, err, test.err)
		}
	}
	own := filepath.Join(made, "1.whet")
	if _, err := r.Recording(own); err == nil {
		t.Errorf("%s is there", own)
	}
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Recording(own); err != nil || got != own {
		t.Errorf("a recording of the server: %q, %v", got, err)
	}
	if r, err = New([]string{filepath.Join(filepath.Dir(root), "repository", "module")}, made); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Module("."); err == nil || !strings.Contains(err.Error(), "its repository") {
		t.Errorf("a repository outside: %v", err)
	}
	for _, bad := range []string{filepath.Join(outside, "none"), filepath.Join(outside, "go.mod"), "/"} {
		if _, err := New([]string{bad}, made); err == nil {
			t.Errorf("%s is a root", bad)
		}
	}
}

// TestFile resolves the files of a module, and refuses those that links lead out of it.
func TestFile(t *testing.T) {
	root, outside := tree(t)
	for name, want := range map[string]string{
		"a/a.go": "a/a.go", filepath.Join(root, "a", "a.go"): "a/a.go", "inner/a.go": "a/a.go", "a/../a/a.go": "a/a.go",
		"link/out.go": "", "linked/out.go": "", "../outside/out.go": "", filepath.Join(outside, "out.go"): "",
		"a/none.go": "", "go.mod": "", "": "",
	} {
		if got, err := File(root, name); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
}

// TestChecks refuses what could be read as a flag or a command, and other machines.
func TestChecks(t *testing.T) {
	t.Parallel()
	packages := func(s string) error { return CheckPackages(s) }
	pattern := func(s string) error { return CheckRegexp("bench", s) }
	target := func(s string) error {
		return CheckTarget(s, []string{"build.example", "10.0.0.7:6060", "web.example:443"})
	}
	for _, test := range []struct {
		check func(string) error
		good  []string
		bad   []string
	}{
		{
			packages,
			[]string{".", "./...", "./internal/text", "./cmd/...", "./a.b/é"},
			[]string{"", "..", "../x", "./../x", "-race", "fmt", "/etc", "./a;b", "./$(x)", "./a b", "./.git", "./...x", "all"},
		},
		{pattern, []string{"", "Join", "^a(b|c)$"}, []string{"-x", "(", strings.Repeat("a", 1001)}},
		{
			target,
			[]string{
				"127.0.0.1:6060", "http://localhost:1/", "https://[::1]:7", "http://build.example/x", "10.0.0.7:6060",
				"https://web.example/",
			},
			[]string{
				"http://other.example/", "10.0.0.7:6061", "http://web.example/", "file:///etc/passwd", "ftp://127.0.0.1/",
				"http://169.254.169.254/", "http://build.example.evil/", "http://user:pw@other.example/", "http://[::", "",
			},
		},
	} {
		for _, s := range test.good {
			if err := test.check(s); err != nil {
				t.Errorf("%q: %v", s, err)
			}
		}
		for _, s := range test.bad {
			if err := test.check(s); err == nil {
				t.Errorf("%q is accepted", s)
			} else if strings.Contains(err.Error(), "pw@") {
				t.Errorf("%q: the error has the password: %v", s, err)
			}
		}
	}
}

// TestNewCandidate makes patches of edits, and refuses those that leave the module or change what is built.
func TestNewCandidate(t *testing.T) {
	root, _ := tree(t)
	c, err := NewCandidate(root, "", []Edit{
		{"a/a.go", "A = 1", "A = 2"},
		{"a/a.go", "A = 2", "A = 3"},
		{"a/b.go", "", "package a\n\nconst B = 2\n"},
	})
	if err != nil || !slices.Equal(c.Files, []string{"a/a.go", "a/b.go"}) ||
		!strings.Contains(c.Text, "\n+const A = 3\n") || !strings.Contains(c.Text, "new file mode") {
		t.Fatalf("%+v, %v", c, err)
	}
	again, err := NewCandidate(root, c.Text, nil)
	if err != nil || !slices.Equal(again.Files, c.Files) || again.Text != c.Text {
		t.Errorf("the patch of edits: %+v, %v", again, err)
	}
	edit := func(name string) string {
		return "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-package a\n+package b\n"
	}
	for _, test := range []struct {
		name, patch string
		edits       []Edit
		err         string
	}{
		{"nothing", "", nil, "want either"},
		{"both", edit("a/a.go"), []Edit{{"a/a.go", "A", "B"}}, "want either"},
		{"no patch", "hello", nil, "changes no files"},
		{"a wrong number of lines", strings.Replace(edit("a/a.go"), "-1 +1", "-1,7 +1", 1), nil, "read the patch"},
		{"a large patch", strings.Repeat("x", maxPatch+1), nil, "bytes (want at most"},
		{"go.mod", edit("go.mod"), nil, "must not change which modules are built"},
		{"a go.sum below", edit("a/go.sum"), nil, "must not change which modules are built"},
		{"a parent", edit("../outside/x.go"), nil, "outside of the repository"},
		{"an absolute name", "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", nil, "outside of the repository"},
		{"through a link", edit("link/x.go"), nil, "symbolic link"},
		{"edit go.work", "", []Edit{{"go.work", "", "go 1.26\n"}}, "must not change which modules are built"},
		{"edit a parent", "", []Edit{{"../outside/go.sum", "", "x"}}, "outside of the repository"},
		{"edit through a link", "", []Edit{{"link/new.go", "", "package x\n"}}, "link"},
		{"edit a link", "", []Edit{{"file.whet", "s", "t"}}, "not a regular file"},
		{"edit a directory", "", []Edit{{"a", "s", "t"}}, "not a regular file"},
		{"edit what is not there", "", []Edit{{"a/a.go", "C", "D"}}, "occurs 0 times"},
		{"edit what is there three times", "", []Edit{{"a/a.go", "a", "b"}}, "occurs 3 times"},
		{"edit a missing file", "", []Edit{{"a/none.go", "a", "b"}}, "edit \"a/none.go\""},
		{"many edits", "", make([]Edit, maxFiles+1), "edits (want at most"},
	} {
		if c, err := NewCandidate(root, test.patch, test.edits); err == nil || !strings.Contains(err.Error(), test.err) {
			t.Errorf("%s: %+v, %v, want %q", test.name, c, err, test.err)
		}
	}
}

// FuzzNewCandidate holds that no patch leaves the repository.
func FuzzNewCandidate(f *testing.F) {
	for _, seed := range []string{
		"--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n",
		"diff --git a/x b/../y\nsimilarity index 100%\nrename from x\nrename to ../y\n",
		"diff --git a/x b/x\nnew file mode 120000\n" +
			"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
		"--- \"a/\\056\\056/x\"\n+++ \"b/\\056\\056/x\"\n@@ -1 +1 @@\n-a\n+b\n", "+++ b/b/b/../../../x\n",
	} {
		f.Add(seed)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, patch string) {
		c, err := NewCandidate(dir, patch, nil)
		if err != nil {
			return
		}
		for _, name := range c.Files {
			if !filepath.IsLocal(filepath.FromSlash(name)) {
				t.Errorf("%q changes %q", patch, name)
			}
		}
	})
}
