package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// world is a machine with a working tree, a toolchain and a module cache.
type world struct{ dir string }

func (w world) path(rel string) string { return filepath.Join(w.dir, filepath.FromSlash(rel)) }

func newWorld(t *testing.T) world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{dir}
	for name, text := range map[string]string{
		"app/go.mod":                                   "module example.com/team/app\n",
		"app/main.go":                                  "app main",
		"app/internal/http/server.go":                  "app server",
		"app/cmd/one/run.go":                           "one run",
		"app/cmd/two/run.go":                           "two run",
		"app/tools/go.mod":                             "module example.com/team/app/tools\n",
		"app/tools/gen/gen.go":                         "tools gen",
		"app/vendor/github.com/acme/kit/kit.go":        "vendored kit",
		"app/pages/page.templ":                         "a page",
		"app/.git/hidden.go":                           "not source",
		"goroot/src/net/http/server.go":                "std server",
		"goroot/src/runtime/proc.go":                   "std proc",
		"goroot/src/cmd/go/main.go":                    "go main",
		"goroot/src/vendor/golang.org/x/net/dns/m.go":  "std dns",
		"mod/github.com/!burnt!sushi/toml@v1.2.3/p.go": "toml",
		"mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/runtime/proc.go":   "old proc",
		"mod/golang.org/toolchain@v0.0.1-go1.21.30.linux-amd64/src/runtime/proc.go":  "newer proc",
		"mod/gopkg.in/yaml.v3@v3.0.1/yaml.go":                                        "yaml",
		"mod/example.com/lib@v2.0.0-20260102030405-abcdefabcdef+incompatible/lib.go": "lib",
		"fork/fork.go":     "fork",
		"outside/data.txt": "secret",
		"outside/other.go": "other",
	} {
		write(t, w.path(name), text)
	}
	return w
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (w world) finder(change func(*Options)) *Finder {
	opt := Options{
		Dirs: []string{w.path("app")}, GOROOT: w.path("goroot"), ModCache: w.path("mod"),
		Modules: []Module{
			{Path: "example.com/team/app", Main: true},
			{Path: "github.com/BurntSushi/toml", Version: "v1.2.3"},
			{Path: "example.com/forked", Version: "v1.0.0", Dir: w.path("fork")},
		},
	}
	if change != nil {
		change(&opt)
	}
	return NewFinder(opt)
}

func TestFinder(t *testing.T) {
	w := newWorld(t)
	f := w.finder(nil)
	for _, c := range []struct {
		path, want string
		origin     Origin
	}{
		{w.path("outside/other.go"), "other", FromDisk},
		{w.path("app/pages/page.templ"), "a page", FromDisk},

		// The standard library of other machines, and as -trimpath leaves it.
		{"/nowhere/go/src/net/http/server.go", "std server", FromGOROOT},
		{"/opt/hostedtoolcache/go/1.25.1/x64/src/runtime/proc.go", "std proc", FromGOROOT},
		{"/usr/lib/go-1.24/src/runtime/proc.go", "std proc", FromGOROOT},
		{"/opt/homebrew/Cellar/go/1.26.0/libexec/src/runtime/proc.go", "std proc", FromGOROOT},
		{"/home/ci/sdk/go1.26rc1/src/runtime/proc.go", "std proc", FromGOROOT},
		{"/home/ci/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.25.0.linux-amd64/src/runtime/proc.go", "std proc", FromGOROOT},
		{"/home/ci/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.21.3.linux-amd64/src/runtime/proc.go", "old proc", FromGOROOT},
		{`C:\Program Files\Go\src\runtime\proc.go`, "std proc", FromGOROOT},
		{"C:/Program Files/Go/src/runtime/proc.go", "std proc", FromGOROOT},
		{"net/http/server.go", "std server", FromGOROOT},
		{"runtime/proc.go", "std proc", FromGOROOT},
		{"cmd/go/main.go", "go main", FromGOROOT},
		{"vendor/golang.org/x/net/dns/m.go", "std dns", FromGOROOT},
		{"$GOROOT/src/runtime/proc.go", "std proc", FromGOROOT},

		// Modules.
		{"/root/go/pkg/mod/github.com/!burnt!sushi/toml@v1.2.3/p.go", "toml", FromModCache},
		{"github.com/BurntSushi/toml@v1.2.3/p.go", "toml", FromModCache},
		{"gopkg.in/yaml.v3@v3.0.1/yaml.go", "yaml", FromModCache},
		{"example.com/lib@v2.0.0-20260102030405-abcdefabcdef+incompatible/lib.go", "lib", FromModCache},
		{"/src/vendor/github.com/BurntSushi/toml/p.go", "toml", FromModCache},
		{"example.com/forked@v1.0.0/fork.go", "fork", FromTree},
		{"/build/vendor/github.com/acme/kit/kit.go", "vendored kit", FromVendor},
		{"github.com/acme/kit@v9.9.9/kit.go", "vendored kit", FromVendor},
		{"example.com/team/app/vendor/github.com/acme/kit/kit.go", "vendored kit", FromTree},

		// The user's own code.
		{"example.com/team/app/internal/http/server.go", "app server", FromTree},
		{"example.com/team/app/tools/gen/gen.go", "tools gen", FromTree},
		{"/build/team/app/internal/http/server.go", "app server", FromTree},
		{`D:\build\app\internal\http\server.go`, "app server", FromTree},
		{"/src/main.go", "app main", FromTree},
		{"/src/cmd/two/run.go", "two run", FromTree},
	} {
		got, err := f.File(c.path)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if got.Lines[0] != c.want || got.Origin != c.origin || got.Path != c.path {
			t.Errorf("%s: %q from %s (%s), want %q from %s", c.path, got.Lines[0], got.Origin, got.Found, c.want, c.origin)
		}
		if data, err := os.ReadFile(got.Found); err != nil || string(data) != c.want {
			t.Errorf("%s: Found is %s: %v", c.path, got.Found, err)
		}
	}
}

func TestFinderMisses(t *testing.T) {
	w := newWorld(t)
	if err := os.Symlink(w.path("outside"), w.path("app/link")); err == nil && runtime.GOOS != "windows" {
		if err := os.Symlink(w.path("outside/other.go"), w.path("goroot/src/runtime/escape.go")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, w.path("app/big.go"), strings.Repeat("x", 1000))
	f := w.finder(func(o *Options) { o.MaxBytes = 500 })
	for path, want := range map[string]string{
		"/nowhere/go/src/net/http/h2.go":       w.path("goroot/src/net/http/h2.go"),
		"/elsewhere/http/missing.go":           w.path("app") + " (no path has the same ending)",
		"/elsewhere/run.go":                    "no path has the same ending", // cmd/one/run.go or cmd/two/run.go?
		"github.com/x/y@v1.0.0/z.go":           w.path("mod/github.com/x/y@v1.0.0/z.go"),
		w.path("outside/data.txt"):             "not a source file by its name",
		w.path("app/big.go"):                   "1000 bytes, more than the limit of 500",
		w.path("app"):                          "not a regular file",
		"example.com/team/app/../outside/o.go": w.path("outside/o.go"),
		"example.com/team/app/link/other.go":   "escapes",
		"runtime/escape.go":                    "escapes",
		"runtime/../../../outside/other.go":    "invalid argument",
		"":                                     "",
		"<autogenerated>":                      "",
		"_cgo_gotypes.go":                      "",
	} {
		got, err := f.File(path)
		var nf *NotFoundError
		if !errors.As(err, &nf) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %+v, %v", path, got, err)
			continue
		}
		if nf.Hint() == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v (hint %q), want %q", path, err, nf.Hint(), want)
		}
	}
	if runtime.GOOS == "linux" {
		if _, err := f.File("/dev/zero.go"); err == nil {
			t.Error("no error")
		}
	}
}

func TestFinderTie(t *testing.T) {
	w := newWorld(t)
	write(t, w.path("app/a/x/run.go"), "1")
	write(t, w.path("app/b/x/run.go"), "2")
	_, err := w.finder(nil).File("/build/x/run.go")
	if err == nil || !strings.Contains(err.Error(), "match equally well") {
		t.Errorf("%v", err)
	}
}

func TestFinderArchive(t *testing.T) {
	w := newWorld(t)
	f := w.finder(func(o *Options) {
		o.Archive = func(path string) ([]byte, bool) {
			return []byte("recorded\r\nline 2\n"), strings.HasSuffix(path, "main.go")
		}
	})
	got, err := f.File("/src/main.go")
	if err != nil || got.Origin != FromRecording || len(got.Lines) != 2 || got.Lines[0] != "recorded" {
		t.Errorf("%+v, %v", got, err)
	}
	if l, ok := got.Line(2); !ok || l != "line 2" {
		t.Errorf("%q %v", l, ok)
	}
	if _, ok := got.Line(3); ok {
		t.Error("line 3")
	}
	local, origin, err := f.Local("/src/main.go")
	if err != nil || local != w.path("app/main.go") || origin != FromTree {
		t.Errorf("%s from %s, %v", local, origin, err)
	}
	if data, _, err := f.Read("/src/main.go"); err != nil || string(data) != "recorded\r\nline 2\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestFinderOptions(t *testing.T) {
	w := newWorld(t)
	f := w.finder(func(o *Options) {
		o.TrimPath = []string{"/odd/prefix/"}
		o.GoVersion = "go1.21.3 X:nocoverageredesign"
		o.Dirs = append(o.Dirs, w.path("app/cmd"))
	})
	for path, want := range map[string]string{
		"/odd/prefix/cmd/one/run.go": "one run",
		"runtime/proc.go":            "old proc",
		"net/http/server.go":         "std server",
	} {
		if got, err := f.File(path); err != nil || got.Lines[0] != want {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	// A directory within a module.
	f = NewFinder(Options{Dirs: []string{w.path("app/cmd")}, GOROOT: w.path("goroot"), ModCache: w.path("mod")})
	if got, err := f.File("example.com/team/app/internal/http/server.go"); err != nil || got.Lines[0] != "app server" {
		t.Errorf("%+v, %v", got, err)
	}
	// Without a GOROOT, the user's tree is not searched for the standard library.
	f = NewFinder(Options{Dirs: []string{w.path("app/internal")}, GOROOT: w.path("none"), ModCache: w.path("mod")})
	for _, path := range []string{"/nowhere/go/src/net/http/server.go", "net/http/server.go"} {
		if got, err := f.File(path); err == nil {
			t.Errorf("%s: found %s", path, got.Found)
		}
	}
}

// This machine's own files, by the paths that its own toolchain compiled in.
func TestFinderHere(t *testing.T) {
	_, file, _, _ := runtime.Caller(0)
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	f := NewFinder(Options{Dirs: []string{wd}})
	got, err := f.File(file)
	if err != nil || !strings.HasPrefix(got.Lines[0], "package source") {
		t.Errorf("%s: %v", file, err)
	}
	if defaultGOROOT() == "" {
		t.Skip("no toolchain here")
	}
	if got, err := f.File("runtime/proc.go"); err != nil || got.Origin != FromGOROOT {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzFinder(f *testing.F) {
	for _, p := range []string{
		"/usr/local/go/src/net/http/server.go", "github.com/X/y@v1.2.3/z.go", "example.com/team/app/../x.go",
		`C:\src\main.go`, "/root/go/pkg/mod/a/!b@v1.0.0/c.go", "vendor/a/b.go", "../../../etc/passwd", "\x00", "/vendor/",
	} {
		f.Add(p)
	}
	dir, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	inside := filepath.Join(dir, "in")
	write(f, filepath.Join(inside, "go.mod"), "module example.com/team/app\n")
	write(f, filepath.Join(inside, "src", "main.go"), "x")
	write(f, filepath.Join(dir, "main.go"), "outside")
	finder := NewFinder(Options{Dirs: []string{inside}, GOROOT: inside, ModCache: inside})
	f.Fuzz(func(t *testing.T, path string) {
		got, err := finder.File(path)
		if err == nil && got.Origin != FromDisk && !strings.HasPrefix(got.Found, inside+string(filepath.Separator)) {
			t.Errorf("%q: left the directories for %s", path, got.Found)
		}
	})
}
