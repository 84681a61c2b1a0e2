package cli_test

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

// secretServer handles requests with secrets in the arguments of its functions: %s is an expression for the texts.
const secretServer = `package main

import (
	"flag"
	"log"
	"net/http"
	_ "net/http/pprof"
	"strings"
)

type Account struct {
	User, Password, APIKey, SessionID, Cvv string
	Pin, Card                              int64
	Nested                                 struct{ ClientSecret []byte }
}

var texts = %s

func main() {
	addr := flag.String("addr", "", "")
	flag.Parse()
	http.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		a := &Account{
			User: "visible-user", Password: "planted-password", APIKey: "planted-key", SessionID: "planted-session",
			Cvv: "planted-cvv", Pin: 90210777, Card: 4111111111111111,
		}
		a.Nested.ClientSecret = []byte("planted-nested")
		n := login(a) + headers(http.Header{
			"Authorization": {"planted-header"}, "Cookie": {"planted-cookie"}, "X-Api-Key": {"planted-x-key"},
			"Accept": {"visible-accept"},
		})
		for _, s := range texts {
			n += text(s)
		}
		n += list(append([]string{"visible-list"}, texts...)) + list([]string{"--password", "planted-argument"})
		if n == 0 {
			w.WriteHeader(500)
		}
	})
	log.Fatal(http.ListenAndServe(*addr, nil))
}

func login(a *Account) (n int) {
	for range 3 {
		n += len(a.User) + len(a.Password) + len(a.APIKey) + len(a.SessionID) + len(a.Cvv) + int(a.Pin+a.Card)
	}
	return n + len(a.Nested.ClientSecret)
}

func headers(h http.Header) (n int) {
	for name, values := range h {
		n += len(name) + len(strings.Join(values, ","))
	}
	return n
}

func text(s string) (n int) {
	for range strings.Split(s, "/") {
		n += len(s)
	}
	return n
}

func list(all []string) (n int) {
	for _, s := range all {
		n += len(strings.Split(s, "/"))
	}
	return n
}
`

// TestCaptureSecrets records a service under load whose functions get secrets of more than 20 kinds: none is anywhere
// in the recording.
func TestCaptureSecrets(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	secrets := map[string]string{ // texts, with what must not be in the recording
		"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY":              "wJalrXUtnFEMI",
		"key AKIAIOSFODNN7EXAMPLE used":                         "AKIAIOSFODNN7EXAMPLE",
		"-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n--": "MIIEowIBAAKCAQEA",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl":     "eyJzdWIiOiIxIn0",
		"Authorization: Basic dXNlcjpwYXNz":                     "dXNlcjpwYXNz",
		"Bearer abcdef123456":                                   "abcdef123456",
		"postgres://app:planted-dsn@db:5432/shop":               "planted",
		"app:planted-dsn@tcp(db:3306)/shop":                     "planted",
		"paid with 4111 1111 1111 1111":                         "4111 1111",
		"to DE89 3704 0044 0532 0130 00":                        "0044 0532",
		"number 078-05-1120":                                    "078-05-1120",
		"ghp_16C7e42F292c6912E7710c838347Ae178B4a":              "16C7e42F",
		"xoxb-123456789012-abcdefABCDEF":                        "abcdefABCDEF",
		"sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc":                 "4eC39HqLyj",
		"AIzaSyA1234567890abcdefghijklmnopqrstuv":               "SyA123456789",
		"/login?user=bob&access_token=planted-query":            "planted",
		`{"user":"bob","password":"planted-json"}`:              "planted",
		"<login><password>planted-xml</password></login>":       "planted",
		"DB_PASSWORD=planted-environment":                       "planted",
	}
	texts := []string{"visible-text"}
	for text := range secrets {
		texts = append(texts, text)
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.com/server\n\ngo 1.24\n", "main.go": fmt.Sprintf(secretServer, fmt.Sprintf("%#v", texts)),
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runWhet(t, "record", "-o", "r.whet", "-d", "2s", "--trace", "0", "--load", "http://"+addr+"/login",
		"--capture", `^main\.`, "--", "go", "run", ".", "-addr", addr)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	code, stdout, stderr := runWhet(t, "recording", "--calls", "r.whet")
	for _, want := range []string{
		"login", "headers", "list", "visible-user", "visible-accept", "visible-text", "visible-list", "redacted",
	} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("exit code %d, the output lacks %q:\n%.3000s%s", code, want, stdout, stderr)
		}
	}
	data := argumentsOf(t, "r.whet")
	for _, secret := range []string{"planted", "90210777", "4111111111111111"} {
		secrets["a field, header or argument: "+secret] = secret
	}
	for what, secret := range secrets {
		if bytes.Contains(data, []byte(secret)) {
			t.Errorf("%q is in the recording", what)
		}
	}
}
