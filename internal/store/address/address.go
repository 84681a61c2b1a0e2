package address

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// Scheme begins the address of a store on ClickHouse.
const Scheme = "clickhouse://"

// PasswordVariable is the environment variable that has the password, unless the address names a
// file with it.
const PasswordVariable = "WHET_CLICKHOUSE_PASSWORD"

// An Address says where a store on ClickHouse is, and how to connect; see Parse.
type Address struct {
	Hosts    []string // host:port, in the order in which they are tried
	Database string
	User     string
	// Cluster is the name of the cluster on which the tables are created; "" means one server.
	Cluster string
	// TLS is how to encrypt; nil means not at all.
	TLS *tls.Config

	password string
}

// Is reports whether the name of a store is an address of ClickHouse.
func Is(name string) bool { return strings.HasPrefix(name, Scheme) }

const addressHint = "write clickhouse://user@host:9000,host2:9000/database"

// parameters are the known ones of an address.
func parameters() []string {
	return []string{"ca_file", "cert_file", "cluster", "key_file", "password_file", "secure"}
}

// Parse reads an address: clickhouse://user@host:9000,host2:9000/database?cluster=name. The
// user is default, the port 9000 or with TLS 9440, and the database whet unless given. Parameters are
// cluster, secure=true for TLS, ca_file, cert_file and key_file for its certificates, and
// password_file; without the latter, the password is that in PasswordVariable. A password in the
// address is an error, because others can read the command line. So is one that would be sent to
// another machine without TLS, unless secure=false says so.
func Parse(text string) (*Address, error) {
	a, err := parse(text)
	if err != nil {
		var e *diag.Error
		if errors.As(err, &e) {
			return nil, err
		}
		return nil, &diag.Error{Op: "read the address of ClickHouse", Err: err, Kind: diag.Usage, Hint: addressHint}
	}
	return a, nil
}

func parse(text string) (*Address, error) {
	rest, ok := strings.CutPrefix(text, Scheme)
	if !ok {
		return nil, errors.New("it does not begin with " + Scheme)
	}
	a := &Address{User: "default", Database: "whet"}
	rest, query, _ := strings.Cut(rest, "?")
	rest, path, _ := strings.Cut(rest, "/")
	if path != "" {
		a.Database = path
	}
	if !isIdentifier(a.Database) {
		return nil, fmt.Errorf("database %q (want letters, digits and underscores)", a.Database)
	}
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		user, err := url.PathUnescape(rest[:at])
		if err != nil || strings.Contains(rest[:at], ":") {
			return nil, &diag.Error{
				Op: "read the address of ClickHouse", Err: errors.New("a password in an address can be read by others"),
				Kind: diag.Usage, Hint: "set " + PasswordVariable + ", or name a file: ?password_file=FILE",
			}
		}
		a.User, rest = user, rest[at+1:]
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, errors.New("its parameters are malformed")
	}
	for name := range values {
		if !slices.Contains(parameters(), name) {
			return nil, fmt.Errorf("unknown parameter %q (want %s)", name, strings.Join(parameters(), ", "))
		}
	}
	if a.Cluster = values.Get("cluster"); a.Cluster != "" && !isIdentifier(a.Cluster) {
		return nil, fmt.Errorf("cluster %q (want letters, digits and underscores)", a.Cluster)
	}
	secure := values.Get("secure")
	if secure != "" && secure != "true" && secure != "false" {
		return nil, fmt.Errorf("secure=%q (want true or false)", secure)
	}
	if err := a.encrypt(values, secure == "true"); err != nil {
		return nil, err
	}
	if err := a.hosts(rest); err != nil {
		return nil, err
	}
	if err := a.readPassword(values.Get("password_file")); err != nil {
		return nil, err
	}
	if a.password != "" && secure == "" && slices.ContainsFunc(a.Hosts, remote) {
		return nil, &diag.Error{
			Op: "connect to ClickHouse", Subject: a.String(), Err: errors.New("the password would be sent unencrypted"),
			Kind: diag.Usage, Hint: "add ?secure=true for TLS, or ?secure=false if the network is trusted",
		}
	}
	return a, nil
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// hosts reads the hosts and adds the default port.
func (a *Address) hosts(text string) error {
	port := "9000"
	if a.TLS != nil {
		port = "9440"
	}
	for host := range strings.SplitSeq(text, ",") {
		if _, _, err := net.SplitHostPort(host); err != nil {
			host = net.JoinHostPort(strings.Trim(host, "[]"), port)
		}
		name, _, err := net.SplitHostPort(host)
		if err != nil || name == "" || strings.ContainsAny(name, "/ \\'\"") {
			return fmt.Errorf("host %.100q (want host:port)", host)
		}
		a.Hosts = append(a.Hosts, host)
	}
	return nil
}

// remote reports whether a host is another machine.
func remote(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		return true
	}
	ip := net.ParseIP(name)
	return name != "localhost" && (ip == nil || !ip.IsLoopback())
}

func (a *Address) encrypt(values url.Values, secure bool) error {
	ca, cert, key := values.Get("ca_file"), values.Get("cert_file"), values.Get("key_file")
	if !secure {
		if ca+cert+key != "" {
			return errors.New("ca_file, cert_file and key_file have no effect without secure=true")
		}
		return nil
	}
	a.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return err
		}
		a.TLS.RootCAs = x509.NewCertPool()
		if !a.TLS.RootCAs.AppendCertsFromPEM(pem) {
			return fmt.Errorf("ca_file %q has no certificate", ca)
		}
	}
	if cert+key == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("cert_file and key_file: %w", err)
	}
	a.TLS.Certificates = []tls.Certificate{pair}
	return nil
}

func (a *Address) readPassword(file string) error {
	if file == "" {
		a.password = os.Getenv(PasswordVariable)
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if a.password = strings.TrimRight(string(text), "\r\n"); a.password == "" {
		return fmt.Errorf("password_file %q is empty", file)
	}
	return nil
}

// Password returns the password; "" if there is none.
func (a *Address) Password() string { return a.password }

// String returns the address as errors and pages show it: hosts and database.
func (a *Address) String() string { return Scheme + strings.Join(a.Hosts, ",") + "/" + a.Database }
