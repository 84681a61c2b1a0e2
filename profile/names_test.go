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
	if own(Function{Name: "main.main", File: "_testmain.go"}) {
		t.Error("a test binary's main is not own code")
	}
}
