package address

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/diag"
)

func TestParse(t *testing.T) {
	t.Setenv(PasswordVariable, "")
	for text, want := range map[string]string{
		"clickhouse://localhost":                            "[localhost:9000] whet default  false",
		"clickhouse://me@a:1,b,[::1]/db":                    "[a:1 b:9000 [::1]:9000] db me  false",
		"clickhouse://a%40b@h/x?secure=true&cluster=shards": "[h:9440] x a@b shards true",
		"clickhouse://h:9000?secure=false":                  "[h:9000] whet default  false",
	} {
		a, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := fmt.Sprint(a.Hosts, " ", a.Database, " ", a.User, " ", a.Cluster, " ", a.TLS != nil); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"http://localhost":                        "does not begin with clickhouse://",
		"clickhouse://":                           `host ":9000"`,
		"clickhouse://h/a-b":                      `database "a-b"`,
		"clickhouse://h/x?cluster=a'b":            `cluster "a'b"`,
		"clickhouse://h/x?user=a":                 `unknown parameter "user"`,
		"clickhouse://h/x?secure=yes":             `secure="yes" (want true or false)`,
		"clickhouse://h/x?ca_file=x":              "no effect without secure=true",
		"clickhouse://h/x?secure=true&ca_file=no": "no such file",
		"clickhouse://h/x?password_file=no":       "no such file",
		"clickhouse://h/x?password_file=" + empty: "is empty",
		"clickhouse://me:secret@h/x":              "a password in an address can be read by others",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || diag.Hint(err) == "" || diag.ExitCode(err) != 2 {
			t.Errorf("%s: %v, hint %q, want %s", text, err, diag.Hint(err), want)
		}
		if strings.Contains(fmt.Sprint(err, diag.Hint(err)), "secret") {
			t.Errorf("the password is in the error: %v", err)
		}
	}
}

// TestPasswordNeedsTLS does not send a password unencrypted to other machines, and never shows it.
func TestPasswordNeedsTLS(t *testing.T) {
	t.Setenv(PasswordVariable, "secret")
	for text, ok := range map[string]bool{
		"clickhouse://10.1.2.3": false, "clickhouse://127.0.0.1,db": false, "clickhouse://10.1.2.3?secure=true": true,
		"clickhouse://10.1.2.3?secure=false": true, "clickhouse://localhost,127.0.0.2,[::1]": true,
	} {
		a, err := Parse(text)
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "unencrypted") || strings.Contains(err.Error(), "secret")) {
			t.Error(err)
		}
		if a != nil && (strings.Contains(a.String(), "secret") || a.Password() != "secret") {
			t.Errorf("%s: password %q", a, a.password)
		}
	}
}
