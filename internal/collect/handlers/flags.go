package handlers

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// TLSFiles returns the TLS configuration for --cert, --key and --ca, each "" if not set.
func TLSFiles(cert, key, ca string) (*tls.Config, error) {
	if cert == "" && key == "" && ca == "" {
		return nil, nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if (cert == "") != (key == "") {
		return nil, diag.Usagef("--cert", "a client certificate needs both --cert and --key",
			"give both; they may be the same file")
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, &diag.Error{
				Op: "load client certificate", Subject: cert, Err: err, Hint: "--cert and --key require PEM files",
			}
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, &diag.Error{Op: "load certificate authority", Subject: ca, Err: err}
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &diag.Error{
				Op: "load certificate authority", Subject: ca, Err: errors.New("file contains no certificate"),
				Hint: "--ca requires a PEM file",
			}
		}
	}
	return cfg, nil
}

// kinds lists what can be fetched: the keys of --pprof-path.
func kinds() []string {
	return []string{
		"cpu", "heap", "allocs", "block", "mutex", "goroutine", "goroutineleak", "threadcreate", "trace",
		"flight", "slow", "cmdline", "whet",
	}
}

// ParsePaths parses the values of --pprof-path: at most one prefix ("/custom"), and KIND=/path for
// single handlers ("cpu=/own/profile").
func ParsePaths(values []string) (prefix string, paths map[string]string, err error) {
	for _, v := range values {
		k, p, pair := strings.Cut(v, "=")
		if !pair {
			k, p = "", v
		}
		switch {
		case !strings.HasPrefix(p, "/"):
			return "", nil, diag.Usagef("--pprof-path "+v, "path does not start with /", "give /prefix, or WHAT=/path")
		case !pair && prefix != "":
			return "", nil, diag.Usagef("--pprof-path "+v, "already has the prefix "+prefix,
				"give one prefix; further values are WHAT=/path")
		case !pair:
			prefix = p
			continue
		}
		if k == "profile" {
			k = "cpu"
		}
		if !slices.Contains(kinds(), k) {
			return "", nil, diag.Usagef("--pprof-path "+v, fmt.Sprintf("unknown profile %q (want %s)", k,
				strings.Join(kinds(), ", ")), "give /prefix, or WHAT=/path")
		}
		if paths == nil {
			paths = make(map[string]string)
		}
		paths[k] = p
	}
	return prefix, paths, nil
}
