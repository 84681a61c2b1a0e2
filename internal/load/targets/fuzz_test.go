package targets

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fuzzFormat feeds a parser. Targets that it accepts must be the same after Write and Read. Body
// files are simulated, so that the input cannot open files.
func fuzzFormat(f *testing.F, format Format) {
	f.Fuzz(func(t *testing.T, text string) {
		r := strings.NewReader(text)
		open := func(path string, _ int64) ([]byte, error) {
			if strings.Contains(path, "x") {
				return nil, fmt.Errorf("%s is not there", path)
			}
			return []byte(path), nil
		}
		got, err := newReader(r, Options{Format: format}, open).read(r)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := Write(&b, got); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, Options{Format: JSON})
		if err != nil {
			t.Fatalf("what was read is written and cannot be read: %v", err)
		}
		for i := range got {
			if got[i].Method == "" {
				got[i].Method = http.MethodGet
			}
		}
		if diff := cmp.Diff(got, again); diff != "" {
			t.Errorf("what was read and what was read back (-first +second):\n%s", diff)
		}
	})
}

func FuzzHTTP(f *testing.F) {
	f.Add("# weight: 3\nPOST http://h/{{ id }}?a=b\nX-A: 1\nx-a: 2\n@body\nGET http://h/\n\nhttps://u:p@h:1/\n")
	fuzzFormat(f, HTTP)
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"method":"PUT","url":"http://h/","body":"aGk=","header":{"X-A":["1","2"],"x-a":["3"]},"weight":3}` + "\n\n" +
		`{"url":"http://h/","body":""}`)
	fuzzFormat(f, JSON)
}

func FuzzCurl(f *testing.F) {
	f.Add("# weight: 2\ncurl -sX PUT -H 'X-A: 1' \\\n  -d @body -d \"a\\\"b\" --data-urlencode 'a=b c' h/p?q " +
		"'http://[::1]/{{id}}'\ncurl -G -d a=b -u me:pw -b a=b --json $'\\x41\\u00e9' http://h/")
	f.Add("curl -I -A a -e b -r 0-1 --compressed --oauth2-bearer t -H 'X;' -H 'Accept:' -g 'http://h/{a}'#x # c")
	fuzzFormat(f, Curl)
}

func FuzzAuto(f *testing.F) {
	f.Add("GET http://h/")
	f.Add(`{"url":"http://h/"}`)
	f.Add("curl h")
	fuzzFormat(f, Auto)
}

func FuzzReadVariables(f *testing.F) {
	f.Add("a,b\n1,\"2\n,\"\"3\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := ReadVariables(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(v.Rows) == 0 || len(v.Names) == 0 {
			t.Fatalf("accepted without names or rows: %v", v)
		}
		for _, row := range v.Rows {
			if len(row) != len(v.Names) {
				t.Fatalf("%d values for %d names", len(row), len(v.Names))
			}
		}
	})
}
