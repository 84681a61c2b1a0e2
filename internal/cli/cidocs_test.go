package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A workflow is what the tests read of the files in docs/ci.md: those of GitHub Actions have jobs with steps, those of
// GitLab are jobs with scripts.
type workflow struct {
	Jobs map[string]struct {
		RunsOn      string            `yaml:"runs-on"`
		Needs       string            `yaml:"needs"`
		Permissions map[string]string `yaml:"permissions"`
		Steps       []struct {
			Uses string            `yaml:"uses"`
			Run  string            `yaml:"run"`
			With map[string]any    `yaml:"with"`
			Env  map[string]string `yaml:"env"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
	Prove   *gitlabJob `yaml:"prove"`
	Comment *gitlabJob `yaml:"comment"`
}

type gitlabJob struct {
	Script []string       `yaml:"script"`
	Cache  map[string]any `yaml:"cache"`
}

// ciDocs returns the workflows of docs/ci.md: of GitHub Actions and of GitLab.
func ciDocs(t *testing.T) (github, gitlab workflow) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) != 2 {
		t.Fatalf("%d blocks of YAML", len(blocks))
	}
	for i, into := range []*workflow{&github, &gitlab} {
		if err := yaml.Unmarshal(blocks[i][1], into); err != nil {
			t.Fatalf("block %d: %v", i+1, err)
		}
	}
	return github, gitlab
}

// TestCIDocs reads the workflows of docs/ci.md: their commands have flags that exist, caches are restored from earlier
// runs, and code of a branch runs without the right to write.
func TestCIDocs(t *testing.T) {
	github, gitlab := ciDocs(t)
	var scripts []string
	cached := false
	for name, job := range github.Jobs {
		if job.RunsOn == "" || len(job.Steps) == 0 {
			t.Errorf("job %s: %+v", name, job)
		}
		runs := false
		for _, s := range job.Steps {
			scripts = append(scripts, s.Run)
			runs = runs || strings.Contains(s.Run, "whet prove")
			if strings.HasPrefix(s.Uses, "actions/cache@") {
				key, restore := fmt.Sprint(s.With["key"]), fmt.Sprint(s.With["restore-keys"])
				cached = strings.HasSuffix(key, "-${{ github.run_id }}") && strings.HasPrefix(key, strings.Fields(restore)[0][:6])
			}
		}
		if runs && (len(job.Permissions) != 1 || job.Permissions["contents"] != "read") {
			t.Errorf("job %s runs code with %v", name, job.Permissions)
		}
	}
	if !cached || gitlab.Prove == nil || gitlab.Comment == nil || gitlab.Prove.Cache["fallback_keys"] == nil {
		t.Errorf("cached %v, %+v", cached, gitlab)
	}
	scripts = append(scripts, gitlab.Prove.Script...)
	found := 0
	for _, script := range scripts {
		for _, line := range regexp.MustCompile(`whet (prove .*)`).FindAllStringSubmatch(script, -1) {
			found++
			args := append(strings.Fields(strings.ReplaceAll(line[1], `"`, "")), "--help")
			if code, _, stderr := runWhet(t, args...); code != 0 {
				t.Errorf("%q: exit code %d\n%s", line[0], code, stderr)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d commands of whet prove", found)
	}
}

// TestCIComment runs the script by which GitLab's job comments, twice: the second run replaces the comment of the
// first, and leaves those of others.
func TestCIComment(t *testing.T) {
	for _, program := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs", program)
		}
	}
	type note struct {
		ID   int    `json:"id"`
		Body string `json:"body"`
	}
	notes := []note{{7, "Looks good. <!-- whet prove -->"}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		const path = "/api/v4/projects/3/merge_requests/5/notes"
		switch body := r.PostFormValue("body"); {
		case r.Header.Get("PRIVATE-TOKEN") != "secret":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Method == http.MethodGet && r.URL.Path == path:
			_ = json.NewEncoder(w).Encode(notes) // the client reports it
		case r.Method == http.MethodPost && r.URL.Path == path:
			notes = append(notes, note{len(notes) + 7, body})
		case r.Method == http.MethodPut && r.URL.Path == path+"/8":
			notes[1].Body = body
		default:
			t.Errorf("%s %s", r.Method, r.URL)
		}
	}))
	defer s.Close()
	_, gitlab := ciDocs(t)
	dir := t.TempDir()
	for _, text := range []string{"**slower** by 3 % & more\n", "**faster**\n"} {
		if err := os.WriteFile(filepath.Join(dir, "comment.md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.Join(gitlab.Comment.Script, "\n"))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "CI_API_V4_URL="+s.URL+"/api/v4", "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=5",
			"WHET_TOKEN=secret")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if want := "<!-- whet prove -->\n\n" + text; len(notes) != 2 || notes[1].Body != want ||
			!strings.HasPrefix(notes[0].Body, "Looks good") {
			t.Errorf("notes %+v, want %q", notes, want)
		}
	}
}
