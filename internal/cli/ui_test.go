package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/whet-go/whet/internal/cli"
	"github.com/whet-go/whet/internal/server/saved"
)

// TestServed runs the examples of whet ui and whet serve: each prints an address that answers, and
// ends when it is interrupted.
func TestServed(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	runs := filepath.Join(dir, "recordings")
	if err := os.Mkdir(runs, 0o700); err != nil {
		t.Fatal(err)
	}
	demo, err := os.ReadFile(filepath.Join(dir, "demo.whet"))
	if err != nil {
		t.Fatal(err)
	}
	token := strings.Repeat("token", 5)
	cert, key, roots := certificate(t)
	for name, data := range map[string][]byte{
		"recordings/demo.whet": demo, "monday.whet": demo, "friday.whet": demo,
		"token": []byte(token + "\n"), "cert.pem": cert, "key.pem": key,
		// Nothing listens there.
		"targets.yaml": []byte("scrape_configs: [{job_name: a, static_configs: [{targets: [\"127.0.0.1:1\"]}]}]\n"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	for _, name := range []string{"ui", "serve"} {
		_, help, _ := runWhet(t, name, "--help")
		examples := exampleLines(help)
		if len(examples) == 0 {
			t.Errorf("whet %s --help has no example", name)
		}
		for _, example := range examples {
			t.Run(example, func(t *testing.T) {
				args := shellFields(strings.ReplaceAll(example, "--http :8443", "--http :0"))
				if i := slices.Index(args, "-o"); i > 0 {
					savedPage(t, args[1:], args[i+1])
					return
				}
				served(t, args[1:], token, roots)
			})
		}
	}
}

// savedPage runs whet with args, which write a page into a file.
func savedPage(t *testing.T, args []string, file string) {
	t.Helper()
	if code, _, stderr := runWhet(t, args...); code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	page, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(page[:min(300, len(page))], []byte(saved.Mark)) ||
		!bytes.Contains(page, []byte("<title>demo.whet</title>")) {
		t.Errorf("%s: %d bytes, %v", file, len(page), err)
	}
	if code, _, stderr := runWhet(t, args...); code != 1 || !strings.Contains(stderr, "--force") {
		t.Errorf("the file was replaced, or the error has no cure: exit code %d, %s", code, stderr)
	}
	code, out, stderr := runWhet(t, "ui", "-o", "-", "demo.whet")
	if code != 0 || !strings.HasPrefix(out, "<!doctype html>") {
		t.Errorf("standard output: exit code %d, %s", code, stderr)
	}
	for _, wrong := range [][]string{
		{"."},
		{"demo.whet", "recordings"},
		{"--target", "http://127.0.0.1:1", "demo.whet"},
		{"--view", "load", "demo.whet"},
	} {
		if code, _, stderr := runWhet(t, append([]string{"ui", "-o", "-"}, wrong...)...); code != 2 {
			t.Errorf("%q: exit code %d, %s", wrong, code, stderr)
		}
	}
}

// served runs whet with args until it has answered.
func served(t *testing.T, args []string, token string, roots *x509.CertPool) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, w := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- cli.Main(ctx, args, strings.NewReader(""), w, &stderr)
		_ = w.Close() // ends reading
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no address: %v, exit code %d\n%s", err, <-code, &stderr)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	defer transport.CloseIdleConnections()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSpace(line)+"api/v1/files", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	var list struct{ Files []struct{ Name string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || answer.StatusCode != http.StatusOK ||
		len(list.Files) == 0 {
		t.Errorf("%s: %d files, %v", answer.Status, len(list.Files), err)
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d\n%s", got, &stderr)
	}
}

// certificate returns a certificate for this machine, its key, and what trusts it.
func certificate(t *testing.T) (cert, key []byte, roots *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	pair := s.TLS.Certificates[0]
	secret, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), roots
}
