package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/diag"
)

func TestListen(t *testing.T) {
	token := strings.Repeat("t", MinToken)
	for _, test := range []struct {
		addr string
		o    Options
		want string // in the error or its hint; "" for none
	}{
		{"127.0.0.1:0", Options{}, ""},
		{"localhost:0", Options{}, ""},
		{"0.0.0.0:0", Options{}, "--token-file"},
		{":0", Options{}, "--token-file"},
		{"127.0.0.1:0", Options{Token: "short"}, "fewer than 16"},
		{"127.0.0.1:0", Options{Token: token}, ""},
		{"127.0.0.1:0", Options{ClientCA: "ca.pem"}, "--tls-cert"},
		{"127.0.0.1:0", Options{Cert: "no.pem", Key: "no.pem"}, "no.pem"},
		{"nowhere", Options{Token: token}, "HOST:PORT"},
	} {
		l, err := Listen(t.Context(), test.addr, test.o)
		switch {
		case err == nil && test.want != "":
			t.Errorf("%s %+v: no error", test.addr, test.o)
		case err != nil && (test.want == "" || !strings.Contains(err.Error()+diag.Hint(err), test.want)):
			t.Errorf("%s: %v (%s), want %q", test.addr, err, diag.Hint(err), test.want)
		}
		if l != nil {
			_ = l.Close()
		}
	}
}

func TestHosts(t *testing.T) {
	local := New(Options{}, &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080})
	exposed := New(Options{Token: strings.Repeat("t", MinToken), Hosts: []string{"whet.example"}},
		&net.TCPAddr{IP: net.IPv4zero, Port: 8080})
	for _, test := range []struct {
		host           string
		local, exposed bool
	}{
		{"localhost:8080", true, true},
		{"127.0.0.1", true, true},
		{"[::1]:80", true, true},
		{"192.0.2.1:8080", false, true}, // an address cannot be rebound
		{"whet.example:8080", false, true},
		{"WHET.example.", false, true},
		{"evil.example", false, false},
		{"127.0.0.1.evil.example", false, false},
		{"", false, false},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/files", nil)
		r.Host = test.host
		if got := local.Check(r) == nil; got != test.local {
			t.Errorf("%q on this machine: %v", test.host, got)
		}
		if got := exposed.Check(r) == nil; got != test.exposed {
			t.Errorf("%q on a server: %v", test.host, got)
		}
	}
}

// TestClientCertificate connects with and without a certificate of the authority.
func TestClientCertificate(t *testing.T) {
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, private := write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
	l, err := Listen(t.Context(), "127.0.0.1:0", Options{Cert: cert, Key: private, ClientCA: cert})
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{
		ReadHeaderTimeout: time.Minute,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}),
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	defer func() {
		_ = s.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	}()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	ask := func(certs ...tls.Certificate) error {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Certificates: certs}}
		defer transport.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Addr().String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := (&http.Client{Transport: transport}).Do(r)
		if err == nil {
			_ = answer.Body.Close()
		}
		return err
	}
	if err := ask(); err == nil {
		t.Error("a client without a certificate was answered")
	}
	pair, err := tls.LoadX509KeyPair(cert, private)
	if err != nil {
		t.Fatal(err)
	}
	if err := ask(pair); err != nil {
		t.Error(err)
	}
}
