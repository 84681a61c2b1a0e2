package cli_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestServeLimits refuses what exceeds a limit of whet serve, and names the flag that raises it.
func TestServeLimits(t *testing.T) {
	profile := cpuProfile(400)
	for _, test := range []struct{ flag, value, query, want string }{
		{"--max-samples", "1", "", "too many samples in a profile"},
		{"--max-labels", "1", "&label.a=1&label.b=2", "too many labels"},
		{"--max-body", "10B", "", "too many bytes in the request"},
		{"--max-series", "0", "", ""},
	} {
		t.Run(test.flag, func(t *testing.T) {
			x := newKilled(t, "--store", filepath.Join(t.TempDir(), "st"), test.flag, test.value)
			x.serve()
			defer x.kill()
			address := x.address + "/ingest/pprof?service=shop" + test.query
			r, err := http.Post(address, "application/octet-stream", bytes.NewReader(profile))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			if err = errors.Join(err, r.Body.Close()); err != nil {
				t.Fatal(err)
			}
			named := strings.Contains(string(body), test.want) && strings.Contains(string(body), "whet serve "+test.flag)
			stored := r.StatusCode/100 == 2
			if test.want == "" && !stored || test.want != "" && (r.StatusCode != http.StatusRequestEntityTooLarge || !named) {
				t.Errorf("status %d\n%s", r.StatusCode, body)
			}
		})
	}
}
