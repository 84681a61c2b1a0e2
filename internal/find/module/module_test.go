package module

import "testing"

// TestFile looks up files by the names that profiles have for them, wherever the program was built.
func TestFile(t *testing.T) {
	m := &Module{Dir: "/src/caddy", Path: "github.com/caddyserver/caddy/v2", files: map[string][]string{
		"logging.go": {"logging.go", "modules/caddyhttp/logging.go", "modules/logging/logging.go"},
		"server.go":  {"modules/caddyhttp/server.go"},
	}}
	for _, c := range []struct{ name, want string }{
		{"/root/go/pkg/mod/github.com/caddyserver/caddy/v2@v2.10.0/logging.go", "logging.go"},
		{"/root/go/pkg/mod/github.com/caddyserver/caddy/v2@v2.10.0/modules/logging/logging.go", "modules/logging/logging.go"},
		{"github.com/caddyserver/caddy/v2@v2.10.0/logging.go", "logging.go"},
		{"github.com/caddyserver/caddy/v2@(devel)/logging.go", "logging.go"},
		{"github.com/caddyserver/caddy/v2/logging.go", "logging.go"},
		{`C:\Users\me\go\pkg\mod\github.com\caddyserver\caddy\v2@v2.10.0\logging.go`, "logging.go"},
		{"/src/caddy/logging.go", "logging.go"},
		{"/elsewhere/caddy/modules/caddyhttp/server.go", "modules/caddyhttp/server.go"},
		{"/root/go/pkg/mod/github.com/caddyserver/certmagic@v0.23.0/logging.go", ""},
		{"/root/go/pkg/mod/github.com/other/caddyhttp@v1.0.0/modules/caddyhttp/server.go", ""},
	} {
		if got, err := m.File(c.name); got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("File(%q) = %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
