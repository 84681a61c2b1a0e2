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
	own := OwnMatcher([]string{"example.com/app"})
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
