package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"testing"
)

// TestSameJSON compares what commands write with --json with what the API of whet serve answers.
func TestSameJSON(t *testing.T) {
	dir := t.TempDir()
	if err := writeProfiles(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	address := serving(t, dir)
	for _, x := range []struct {
		command []string
		path    string
		query   url.Values
	}{
		{[]string{"top", "-n", "20", "demo.whet"}, "top", url.Values{"file": {"demo.whet"}, "n": {"20"}}},
		{
			[]string{"top", "-n", "5", "--all", "--type", "allocs", "--focus", "main", "demo.whet"},
			"top",
			url.Values{"file": {"demo.whet"}, "n": {"5"}, "all": {"true"}, "type": {"allocs"}, "focus": {"main"}},
		},
		{[]string{"tags", "-n", "7", "demo.whet"}, "tags", url.Values{"file": {"demo.whet"}, "n": {"7"}}},
		{[]string{"list", "main", "demo.whet"}, "list", url.Values{"file": {"demo.whet"}, "match": {"main"}}},
		{[]string{"graph", "-n", "30", "demo.whet"}, "graph", url.Values{"file": {"demo.whet"}, "n": {"30"}}},
		{
			[]string{"diff", "-n", "9", "before.whet", "after.whet"},
			"diff",
			url.Values{"file": {"after.whet"}, "diff_base": {"before.whet"}, "n": {"9"}},
		},
	} {
		code, stdout, stderr := runWhet(t, append(append([]string{}, x.command...), "--json")...)
		if code != 0 {
			t.Errorf("%v: exit code %d\n%s", x.command, code, stderr)
			continue
		}
		answer, err := http.Get(address + "/api/v1/" + x.path + "?" + x.query.Encode())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %v, %s\n%s", x.path, err, answer.Status, body)
			continue
		}
		var written, answered any
		if err := json.Unmarshal([]byte(stdout), &written); err != nil {
			t.Fatalf("%v: %v\n%s", x.command, err, stdout)
		}
		if err := json.Unmarshal(body, &answered); err != nil {
			t.Fatalf("%s: %v\n%s", x.path, err, body)
		}
		if x.path == "list" { // the server does not say where on its disk it looked
			withoutPlaces(written)
			withoutPlaces(answered)
		}
		if !reflect.DeepEqual(written, answered) {
			t.Errorf("%v writes\n%s\nthe API answers\n%s", x.command, stdout, body)
		}
	}
}

// withoutPlaces removes what says where source was looked for.
func withoutPlaces(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "no_source")
		delete(v, "warnings")
		for _, x := range v {
			withoutPlaces(x)
		}
	case []any:
		for _, x := range v {
			withoutPlaces(x)
		}
	}
}
