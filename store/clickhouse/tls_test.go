package clickhouse_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
	"github.com/whet-go/whet/store/clickhouse"
	"github.com/whet-go/whet/store/clickhouse/clickhousetest"
	"github.com/whet-go/whet/store/storetest"
)

// opened returns the error of opening a store.
func opened(t *testing.T, address string) error {
	t.Helper()
	a, err := clickhouse.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{})
	if err == nil {
		err = s.Close()
	}
	return err
}

// TestTLS stores and queries over TLS, with a client certificate and a password, and explains what goes
// wrong without them.
func TestTLS(t *testing.T) {
	servers := clickhousetest.ForTest(t, clickhousetest.Options{TLS: true})
	secure := servers.TLS
	if conn, err := net.Dial("tcp", secure.Hosts[0]); err != nil {
		t.Skipf("this build of ClickHouse does not serve TLS: %v", err)
	} else if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	const password = "the-password-of-whet"
	exec(t, servers.Hosts[0], "CREATE USER whet IDENTIFIED BY '"+password+"'")
	exec(t, servers.Hosts[0], "GRANT CURRENT GRANTS ON *.* TO whet")
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := "clickhouse://whet@" + secure.Hosts[0] + "/tls?secure=true&password_file=" + file
	ca, cert := "&ca_file="+secure.CA, "&cert_file="+secure.Cert+"&key_file="+secure.Key
	a, err := clickhouse.ParseAddress(base + ca + cert)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clickhouse.Migrate(t.Context(), a, clickhouse.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	s, err := clickhouse.Open(t.Context(), a, clickhouse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	storetest.Write(t, s, "", storetest.Generated("shop", 0, nil), storetest.Generated("mail", 1, nil))
	if _, stats, err := s.Merge(t.Context(), store.Query{}); err != nil || stats.Profiles != 2 {
		t.Errorf("%+v, %v", stats, err)
	}
	storetest.Clean(t, s, 2)
	for address, want := range map[string]string{
		base + cert: "ca_file",
		base + ca:   "client certificate",
		strings.Replace(base, secure.Hosts[0], servers.Hosts[0], 1) + ca + cert: "tcp_port_secure",
	} {
		err := opened(t, address)
		if err == nil || !strings.Contains(diag.Hint(err), want) || strings.Contains(err.Error(), password) {
			t.Errorf("%s: %v, hint %q, want %s", address, err, diag.Hint(err), want)
		}
	}
}

// TestTLSErrors connects to servers that are not ClickHouse: one whose certificate is not trusted, one
// without TLS, and one that resets the connection, as one without a client certificate may be.
func TestTLSErrors(t *testing.T) {
	cert := selfSigned(t)
	config := &tls.Config{Certificates: []tls.Certificate{cert}}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		serve   func(net.Conn)
		trusted bool // with a certificate of the authority
		text    string
		hint    string
	}{
		"untrusted": {serve: nil, text: "certificate", hint: "ca_file"},
		"plain": {
			serve: func(c net.Conn) { _, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) },
			text:  "that port does not serve TLS", hint: "tcp_port_secure",
		},
		"reset": {serve: func(c net.Conn) {
			if tls.Server(c, config).Handshake() == nil {
				_ = c.(*net.TCPConn).SetLinger(0)
			}
		}, trusted: true, text: "unavailable", hint: "client certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = l.Close() }()
			go func() {
				for {
					c, err := l.Accept()
					if errors.Is(err, net.ErrClosed) {
						return
					}
					if err == nil && test.serve != nil {
						test.serve(c)
					} else if err == nil {
						_ = tls.Server(c, config).Handshake() // fails
					}
					if err == nil {
						_ = c.Close()
					}
				}
			}()
			address := "clickhouse://" + l.Addr().String() + "/x?secure=true"
			if test.trusted {
				address += "&ca_file=" + ca
			}
			err = opened(t, address)
			if err == nil || !strings.Contains(err.Error(), test.text) || !strings.Contains(diag.Hint(err), test.hint) {
				t.Errorf("%v, hint %q", err, diag.Hint(err))
			}
		})
	}
}

// selfSigned returns a certificate that no authority has signed: that of net/http/httptest.
func selfSigned(t *testing.T) tls.Certificate {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	return s.TLS.Certificates[0]
}
