package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// Challenge is the WWW-Authenticate header of answers to requests without a token.
const Challenge = `Bearer realm="whet"`

// Scope is what a token allows. Scopes are bits.
type Scope uint8

// The scopes.
const (
	Read  Scope = 1 << iota // queries
	Write                   // sending profiles
)

// String returns the name of a single scope.
func (s Scope) String() string {
	if s == Read {
		return "read"
	}
	return "write"
}

// Tenants are the tokens of a store that several tenants share. They are immutable.
type Tenants struct{ tokens []tenantToken }

type tenantToken struct {
	hash   [sha256.Size]byte
	tenant string
	scope  Scope
}

// A Denied error says why a request is not answered.
type Denied struct {
	status int
	text   string
	hint   string
}

// Error returns the reason.
func (d *Denied) Error() string { return d.text }

// Hint returns what to do.
func (d *Denied) Hint() string { return d.hint }

// Status returns 401 if the token is missing or unknown, and 403 if it does not allow the request.
func (d *Denied) Status() int { return d.status }

// maxTenants is the size of a file of tenants, in bytes.
const maxTenants = 1 << 20

// ReadTenants reads a file of tenants and their tokens:
//
//	tenants:
//	  - name: checkout
//	    tokens:
//	      - file: checkout.token # a file with one line, relative to this file
//	        scopes: [write]
//	      - sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//	        scopes: [read, write]
//
// The tokens themselves are not in it. Errors name the place in the file.
func ReadTenants(file string) (*Tenants, error) {
	fail := func(err error) error {
		return &diag.Error{
			Op: "read tenants", Subject: file, Err: err, Kind: diag.Usage,
			Hint: "`printf %s \"$TOKEN\" | sha256sum` prints what sha256 wants; docs/store-clients.md has an example",
		}
	}
	data, err := os.ReadFile(file)
	if err == nil && len(data) > maxTenants {
		err = fmt.Errorf("it has more than %d bytes", maxTenants)
	}
	if err != nil {
		return nil, fail(err)
	}
	var doc struct {
		Tenants []struct {
			Name   string `yaml:"name"`
			Tokens []struct {
				File   string   `yaml:"file"`
				SHA256 string   `yaml:"sha256"`
				Scopes []string `yaml:"scopes"`
			} `yaml:"tokens"`
		} `yaml:"tenants"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(data)))
	d.KnownFields(true)
	if err := d.Decode(&doc); err != nil {
		return nil, fail(err)
	}
	t := &Tenants{}
	for i, tenant := range doc.Tenants {
		if err := store.CheckTenant(tenant.Name); err != nil || tenant.Name == "" {
			return nil, fail(fmt.Errorf("tenant %d: invalid name %q (want at most 64 letters, digits and ._-)",
				i+1, tenant.Name))
		}
		for j, token := range tenant.Tokens {
			place := func(err error) error { return fail(fmt.Errorf("tenant %s, token %d: %w", tenant.Name, j+1, err)) }
			one := tenantToken{tenant: tenant.Name}
			if one.scope, err = scopes(token.Scopes); err != nil {
				return nil, place(err)
			}
			if one.hash, err = tokenHash(filepath.Dir(file), token.File, token.SHA256); err != nil {
				return nil, place(err)
			}
			for _, other := range t.tokens {
				if other.hash == one.hash {
					return nil, place(fmt.Errorf("tenant %s has the same token", other.tenant))
				}
			}
			t.tokens = append(t.tokens, one)
		}
	}
	if len(t.tokens) == 0 {
		return nil, fail(errors.New("it has no tokens"))
	}
	return t, nil
}

// scopes reads names of scopes.
func scopes(names []string) (Scope, error) {
	var s Scope
	for _, name := range names {
		switch name {
		case "read":
			s |= Read
		case "write":
			s |= Write
		default:
			return 0, fmt.Errorf("unknown scope %q (want read or write)", name)
		}
	}
	if s == 0 {
		return 0, errors.New("it has no scopes (want read, write or both)")
	}
	return s, nil
}

// tokenHash returns the hash of a token that is in a file or is given by its hash.
func tokenHash(dir, file, sum string) (hash [sha256.Size]byte, err error) {
	if (file == "") == (sum == "") {
		return hash, errors.New("it has neither a file nor a sha256, or both")
	}
	if sum != "" {
		b, err := hex.DecodeString(sum)
		if err != nil || len(b) != len(hash) {
			return hash, fmt.Errorf("invalid sha256 %.8q… (want %d hexadecimal digits)", sum, 2*len(hash))
		}
		copy(hash[:], b)
		return hash, nil
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return hash, err
	}
	token := strings.TrimSpace(string(data))
	if len(token) < MinToken || strings.ContainsAny(token, "\r\n") {
		return hash, fmt.Errorf("invalid token in %s (want one line of at least %d characters)", file, MinToken)
	}
	return sha256.Sum256([]byte(token)), nil
}

// Names returns the names of the tenants in order, each once; none of nil.
func (t *Tenants) Names() []string {
	if t == nil {
		return nil
	}
	var names []string
	for _, one := range t.tokens {
		names = append(names, one.tenant)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// With returns the tenants and one more token, which may read and write the tenant "". t may be nil.
func (t *Tenants) With(token string) *Tenants {
	all := OneTenant(token)
	if t != nil {
		all.tokens = append(all.tokens, t.tokens...)
	}
	return all
}

// OneTenant returns tenants with one token, which may read and write the tenant "".
func OneTenant(token string) *Tenants {
	return &Tenants{[]tenantToken{{sha256.Sum256([]byte(token)), "", Read | Write}}}
}

// Tenant returns the tenant whose token a request carries: as a bearer token, or as the password of
// basic authentication with any user name, which Pyroscope's clients have. The header X-Scope-OrgID
// must be the tenant's name if it is there. Errors are *Denied.
func (t *Tenants) Tenant(r *http.Request, scope Scope) (string, error) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		_, text, ok = r.BasicAuth()
	}
	if !ok {
		return "", &Denied{
			http.StatusUnauthorized, "the server requires a token",
			"send it as Authorization: Bearer TOKEN, or as the password of basic authentication",
		}
	}
	sum := sha256.Sum256([]byte(text))
	var found *tenantToken
	for i := range t.tokens { // all of them, so that the time does not show which is right
		if subtle.ConstantTimeCompare(sum[:], t.tokens[i].hash[:]) == 1 {
			found = &t.tokens[i]
		}
	}
	if found == nil {
		return "", &Denied{http.StatusUnauthorized, "the token is not valid", "check the token of the client"}
	}
	if found.scope&scope == 0 {
		return "", &Denied{
			http.StatusForbidden, fmt.Sprintf("the token does not allow to %v", scope),
			fmt.Sprintf("use a token with the scope %v", scope),
		}
	}
	if id := r.Header.Get("X-Scope-OrgID"); id != "" && id != found.tenant && found.tenant != "" {
		return "", &Denied{
			http.StatusForbidden, "the token is of another tenant than the header X-Scope-OrgID",
			"leave the header out: the token determines the tenant",
		}
	}
	return found.tenant, nil
}
