package profile

import "testing"

func TestPackagePath(t *testing.T) {
	for _, c := range []struct{ symbol, pkg, module string }{
		{"main.main", "main", "main"},
		{"net/http.(*conn).serve", "net/http", "std"},
		{"runtime.mallocgc", "runtime", "std"},
		{"gopkg.in/yaml%2ev3.Unmarshal", "gopkg.in/yaml.v3", "gopkg.in/yaml.v3"},
		{"github.com/a/b/c.F[github.com/x/y.T]", "github.com/a/b/c", "github.com/a/b"},
		{"github.com/a/b/v2/c.(*T[...]).M", "github.com/a/b/v2/c", "github.com/a/b/v2"},
		{"golang.org/x/net/http2.(*Framer).ReadFrame", "golang.org/x/net/http2", "golang.org/x/net"},
		{"type:.eq.net/http.T", "", ""},
		{"memmove", "", ""},
		{"", "", ""},
		{"std::vector<int>::push_back(int)", "", ""},
	} {
		if got := PackagePath(c.symbol); got != c.pkg {
			t.Errorf("PackagePath(%q) = %q, want %q", c.symbol, got, c.pkg)
		}
		if got := GuessModule(c.pkg); got != c.module {
			t.Errorf("GuessModule(%q) = %q, want %q", c.pkg, got, c.module)
		}
	}
}

func TestOwnMatcher(t *testing.T) {
	own := OwnMatcher([]string{"example.com/app"}, nil)
	for name, want := range map[string]bool{
		"main.handler":              true,
		"example.com/app.F":         true,
		"example.com/app/sub.F":     true,
		"example.com/app_test.F":    true,
		"example.com/application.F": false,
		"net/http.(*conn).serve":    false,
		"runtime.main":              false,
		"":                          false,
	} {
		if got := own(Function{Name: name}); got != want {
			t.Errorf("own(%q) = %v, want %v", name, got, want)
		}
	}
	const inlined = "main.(*server).handle.(*Logger).Printf.func1"
	for file, want := range map[string]bool{
		"/usr/local/go/src/log/log.go":                false,
		"log/log.go":                                  false,
		"/root/go/pkg/mod/github.com/a/b@v1.2.3/c.go": false,
		"/home/me/go/src/example.com/app/main.go":     true,
		"/home/me/app/main.go":                        true,
		"C:/me/app/main.go":                           true,
		"example.com/app/main.go":                     true,
	} {
		if got := own(Function{Name: inlined, File: file}); got != want {
			t.Errorf("own(closure in %s) = %v, want %v", file, got, want)
		}
	}
	for _, name := range []string{"main.(*server).handle.func1", "main.handle.func2.1", "main.handle"} {
		if !own(Function{Name: name, File: "/usr/local/go/src/app/main.go"}) {
			t.Errorf("%s is own, wherever its file", name)
		}
	}
	if own(Function{Name: "main.main", File: "_testmain.go"}) {
		t.Error("a test binary's main is not own code")
	}
}

// TestNestedModules checks that code of a module nested in an own one belongs to the nested module.
func TestNestedModules(t *testing.T) {
	own := OwnMatcher([]string{"example.com/a", "go.etcd.io/etcd/server/v3", "github.com/foo/foo"},
		[]string{"example.com/a/api", "go.etcd.io/etcd/api/v3"})
	for name, want := range map[string]bool{
		"example.com/a.F":                        true,
		"example.com/a/apis.F":                   true,
		"example.com/a/api.F":                    false,
		"example.com/a/api/v1.(*T).M":            false,
		"example.com/a/b.F[example.com/a/api.T]": true,
		"go.etcd.io/etcd/server/v3/mvcc.F":       true,
		"go.etcd.io/etcd/api/v3/pb.F":            false,
		"github.com/foo/foo-bar.F":               false,
		"github.com/foo/foo/bar.F":               true,
	} {
		if got := own(Function{Name: name}); got != want {
			t.Errorf("own(%q) = %v, want %v", name, got, want)
		}
	}
	// An own module may be nested in a dependency.
	if own := OwnMatcher([]string{"example.com/a/api"},
		[]string{"example.com/a"}); !own(Function{Name: "example.com/a/api.F"}) || own(Function{Name: "example.com/a/b.F"}) {
		t.Error("the longest path decides")
	}
}

// TestInstalledClosures checks that closures of a program in the module cache are own code, and those inlined
// from its dependencies are not.
func TestInstalledClosures(t *testing.T) {
	own := OwnMatcher([]string{"github.com/caddyserver/caddy/v2"}, nil)
	const cache = "/root/go/pkg/mod/github.com/caddyserver/"
	for _, c := range []struct {
		name, file string
		want       bool
	}{
		{
			"github.com/caddyserver/caddy/v2/modules/caddyhttp.(*Server).ServeHTTP.func1",
			cache + "caddy/v2@v2.10.0/modules/caddyhttp/server.go", true,
		},
		{
			"github.com/caddyserver/caddy/v2/modules/caddyhttp.(*Server).ServeHTTP.func1",
			"github.com/caddyserver/caddy/v2@v2.10.0/modules/caddyhttp/server.go", true,
		},
		{"github.com/caddyserver/caddy/v2.Run.(*Cache).Do.func1", cache + "certmagic@v0.1.0/cache.go", false},
		{"main.main.func1", cache + "caddy/v2@v2.10.0/cmd/caddy/main.go", true},
		{"main.main.(*Cache).Do.func1", cache + "certmagic@v0.1.0/cache.go", false},
		{"main.main.(*Cache).Do.func1", "/src/caddy/vendor/github.com/caddyserver/certmagic/cache.go", false},
	} {
		if got := own(Function{Name: c.name, File: c.file}); got != c.want {
			t.Errorf("own(%s in %s) = %v, want %v", c.name, c.file, got, c.want)
		}
	}
}

func TestFileModule(t *testing.T) {
	for _, c := range []struct{ file, pkg, module string }{
		{"/root/go/pkg/mod/example.com/a/api@v1.2.3/x/x.go", "example.com/a/api/x", "example.com/a/api"},
		{"example.com/a/api@v1.2.3/x/x.go", "example.com/a/api/x", "example.com/a/api"},
		{"/cache/example.com/a/api@v1.2.3/x/x.go", "example.com/a/api/x", "example.com/a/api"},
		{"C:/Users/me/go/pkg/mod/github.com/!azure/sdk@v1.0.0/a.go", "github.com/Azure/sdk", "github.com/Azure/sdk"},
		{`C:\Users\me\go\pkg\mod\github.com\a\b@v1.0.0\c\d.go`, "github.com/a/b/c", "github.com/a/b"},
		{"github.com/a/b@(devel)/c/d.go", "github.com/a/b/c", "github.com/a/b"},
		{"/root/go/pkg/mod/github.com/a/b/v2@v2.0.0/cmd/b/main.go", "main", "github.com/a/b/v2"},
		{"github.com/a/b/v2@v2.0.0/cmd/b/main.go", "main", "github.com/a/b/v2"},
		{"/cache/github.com/a/b/v2@v2.0.0/cmd/b/main.go", "main", ""},
		{"/root/go/pkg/mod/golang.org/toolchain@v0.0.1-go1.27.4.linux-amd64/src/net/http/server.go", "net/http", ""},
		{"/src/a/main.go", "main", ""},
		{"github.com/a/b/c/d.go", "github.com/a/b/c", ""},
	} {
		if got := fileModule(c.file, c.pkg); got != c.module {
			t.Errorf("FileModule(%q, %q) = %q, want %q", c.file, c.pkg, got, c.module)
		}
	}
}

func TestGeneric(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.Map[go.shape.int,go.shape.string]":              "main.Map[...]",
		"main.(*Set[go.shape.int]).Add":                       "main.(*Set[...]).Add",
		"main.count[go.shape.int].Values[go.shape.int].func2": "main.count[...].Values[...].func2",
		"a.com/b.F[go.shape.struct { X [4]int }].func1":       "a.com/b.F[...].func1",
		"main.Map[...]": "main.Map[...]",
		"main.main":     "main.main",
		"std::vector<int>::operator[](unsigned long)": "std::vector<int>::operator[](unsigned long)",
		"main.F[": "main.F[",
	} {
		if got := Generic(symbol); got != want {
			t.Errorf("Generic(%q) = %q, want %q", symbol, got, want)
		}
	}
}
