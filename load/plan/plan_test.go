package plan_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load/plan"
)

// TestCheck expects usage errors for options that exclude each other, and none for the zero value.
func TestCheck(t *testing.T) {
	if err := new(plan.Plan).Check(); err != nil {
		t.Errorf("zero value: %v", err)
	}
	for want, p := range map[string]plan.Plan{
		"--arrivals":       {Arrivals: "sometimes"},
		"--engine":         {Engine: "steam"},
		"--targets-format": {TargetsFormat: "xml"},
		"--streams":        {Streams: 2},
		"--no-keepalive":   {NoKeepAlive: true, HTTP2: true},
		"--token-file":     {User: "me:secret", TokenFile: "token"},
		"--password-file":  {PasswordFile: "password"},
		"standard input":   {Targets: "-", Body: "@-"},
	} {
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) || diag.ExitCode(err) != 2 {
			t.Errorf("%+v: error %v, want one about %s", p, err, want)
		}
	}
}

// TestOptions reads the files that a plan names, and standard input.
func TestOptions(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	p := plan.Plan{
		Targets: write("targets.txt", "GET http://localhost:1/a\nGET http://localhost:1/b\n"),
		User:    "me", PasswordFile: write("password", "secret\n"),
		Body: "@-", Resolve: []string{"example.com:80:127.0.0.1"}, HTTP2: true,
	}
	o, warnings, err := p.Options([]string{"http://localhost:1/first"}, strings.NewReader("hello"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	user, password, _ := (&http.Request{Header: o.Header}).BasicAuth()
	if len(o.Targets) != 2 || o.URL != "http://localhost:1/first" || string(o.Body) != "hello" {
		t.Errorf("%d targets, URL %q, body %q", len(o.Targets), o.URL, o.Body)
	}
	if user != "me" || password != "secret" {
		t.Errorf("user %q, password %q", user, password)
	}
	if o.Resolve["example.com:80"] != "127.0.0.1:80" {
		t.Errorf("resolve %v", o.Resolve)
	}
	_, warnings, err = (&plan.Plan{AllowRemote: []string{"example.com"}}).Options([]string{"http://example.com/"}, nil)
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Text, "another machine") {
		t.Errorf("allow remote: %v, %v", warnings, err)
	}
}

// TestOptionsErrors expects usage errors for text that cannot be parsed, without the secrets in it.
func TestOptionsErrors(t *testing.T) {
	for want, p := range map[string]plan.Plan{
		"--rate":         {Rate: "fast"},
		"-H":             {Headers: []string{"secret"}},
		"--user":         {User: "secret"},
		"--resolve":      {Resolve: []string{"secret"}},
		"--allow-remote": {AllowRemote: []string{"elsewhere"}},
		"--target":       {Target: "nowhere"},
	} {
		_, _, err := p.Options([]string{"http://localhost:1/"}, strings.NewReader(""))
		if err == nil || !strings.Contains(err.Error(), want) || diag.ExitCode(err) != 2 {
			t.Errorf("%+v: error %v, want one about %s", p, err, want)
		}
		if err != nil && want != "--resolve" && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error repeats a secret: %v", want, err)
		}
	}
}
