package access

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

const (
	writeToken = "write-token-of-checkout"
	bothToken  = "both-token-of-search"
)

// tenants writes and reads a file of tenants.
func tenants(t *testing.T, text string) (*Tenants, error) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"tenants.yaml": text, "checkout.token": writeToken + "\n",
		"short": "abc",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return ReadTenants(filepath.Join(dir, "tenants.yaml"))
}

func sum(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}

func TestTenants(t *testing.T) {
	ts, err := tenants(t, `
tenants:
  - name: checkout
    tokens:
      - file: checkout.token
        scopes: [write]
  - name: search
    tokens:
      - sha256: `+sum(bothToken)+`
        scopes: [read, write]
`)
	if err != nil {
		t.Fatal(err)
	}
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	for name, test := range map[string]struct {
		set    func(*http.Request)
		scope  Scope
		tenant string
		status int
	}{
		"write":            {bearer(writeToken), Write, "checkout", 0},
		"write reads":      {bearer(writeToken), Read, "", http.StatusForbidden},
		"both writes":      {bearer(bothToken), Write, "search", 0},
		"both reads":       {bearer(bothToken), Read, "search", 0},
		"basic":            {func(r *http.Request) { r.SetBasicAuth("anyone", bothToken) }, Read, "search", 0},
		"basic, wrong":     {func(r *http.Request) { r.SetBasicAuth(bothToken, "x") }, Read, "", http.StatusUnauthorized},
		"none":             {func(*http.Request) {}, Write, "", http.StatusUnauthorized},
		"unknown":          {bearer("another-token-entirely"), Write, "", http.StatusUnauthorized},
		"empty":            {bearer(""), Write, "", http.StatusUnauthorized},
		"hash for a token": {bearer(sum(bothToken)), Write, "", http.StatusUnauthorized},
		"own tenant": {func(r *http.Request) {
			bearer(bothToken)(r)
			r.Header.Set("X-Scope-OrgID", "search")
		}, Write, "search", 0},
		"other tenant": {func(r *http.Request) {
			bearer(bothToken)(r)
			r.Header.Set("X-Scope-OrgID", "checkout")
		}, Write, "", http.StatusForbidden},
	} {
		r := httptest.NewRequest(http.MethodPost, "/ingest", nil)
		test.set(r)
		tenant, err := ts.Tenant(r, test.scope)
		var denied *Denied
		status := 0
		if errors.As(err, &denied) {
			status = denied.Status()
			if strings.Contains(err.Error()+diag.Hint(err), bothToken) || diag.Hint(err) == "" {
				t.Errorf("%s: the error is %q, %q", name, err, diag.Hint(err))
			}
		}
		if tenant != test.tenant || status != test.status {
			t.Errorf("%s: tenant %q, status %d (%v), want %q, %d", name, tenant, status, err, test.tenant, test.status)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/ingest", nil)
	bearer(writeToken)(r)
	if tenant, err := OneTenant(writeToken).Tenant(r, Read); tenant != "" || err != nil {
		t.Errorf("one tenant: %q, %v", tenant, err)
	}
	const operator = "the token of the operator"
	both := ts.With(operator)
	if tenant, err := both.Tenant(r, Write); tenant != "checkout" || err != nil {
		t.Errorf("with another: %q, %v", tenant, err)
	}
	bearer(operator)(r)
	if tenant, err := both.Tenant(r, Read); tenant != "" || err != nil {
		t.Errorf("the other: %q, %v", tenant, err)
	}
}

func TestTenantsErrors(t *testing.T) {
	token := "\n    tokens:\n      - {sha256: " + sum(bothToken) + ", scopes: [read]}\n"
	for text, want := range map[string]string{
		"":                                "EOF",
		"tenants: []":                     "no tokens",
		"tenants:\n  - name: a b" + token: "tenant 1: invalid name",
		"tenants:\n  - name: ''" + token:  "tenant 1: invalid name",
		"tenants:\n  - name: a" + token + "  - name: b" + token:                     "tenant a has the same token",
		"tenants:\n  - name: a\n    tokens:\n      - {sha256: ab, scopes: [read]}":  "64 hexadecimal digits",
		"tenants:\n  - name: a\n    tokens:\n      - {file: short, scopes: [read]}": "at least 16",
		"tenants:\n  - name: a\n    tokens:\n      - {file: none, scopes: [read]}":  "no such file",
		"tenants:\n  - name: a\n    tokens:\n      - {scopes: [read]}":              "neither a file nor",
		"tenants:\n  - name: a\n    tokens:\n      - {file: checkout.token}":        "no scopes",
		"tenants:\n  - name: a\n    tokens:\n      - {file: x, scopes: [admin]}":    `unknown scope "admin"`,
		"tenants:\n  - name: a\n    token: secret":                                  "field token not found",
	} {
		_, err := tenants(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || diag.Hint(err) == "" {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
