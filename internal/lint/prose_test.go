package lint

import (
	"os"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// TestProse checks the repository against the rules for prose.
func TestProse(t *testing.T) {
	t.Parallel()
	problems, err := Prose(os.DirFS(root()))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

// TestProseRules runs each file of testdata/prose. A file bad.EXT has a line "want: TEXT" in a
// comment for each expected problem; good.EXT has the correct text, without problems.
func TestProseRules(t *testing.T) {
	t.Parallel()
	files, err := os.ReadDir("testdata/prose")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	seen := make(map[string]bool)
	for _, f := range files {
		archive, err := txtar.ParseFile(path.Join("testdata/prose", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for line := range strings.Lines(string(archive.Comment)) {
			if text, ok := strings.CutPrefix(line, "want: "); ok {
				want = append(want, strings.TrimSpace(text))
			}
		}
		if len(want) == 0 {
			t.Errorf("%s expects no problem", f.Name())
		}
		repo := make(fstest.MapFS)
		good := 0
		for _, file := range archive.Files {
			repo[file.Name] = &fstest.MapFile{Data: file.Data}
			if strings.HasPrefix(file.Name, "good") {
				good++
			}
		}
		if good == 0 {
			t.Errorf("%s has no good example", f.Name())
		}
		problems, err := Prose(repo)
		if err != nil {
			t.Fatalf("%s: %v", f.Name(), err)
		}
		var got []string
		for _, p := range problems {
			if p.Cure == "" {
				t.Errorf("%s: %s has no cure", f.Name(), p)
			}
			got = append(got, p.Where+" "+p.Text)
			for i, rule := range phrases() {
				if p.Cure == rule.cure {
					seen[rule.cure+string(rune('a'+i))] = true
				}
			}
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s:\ngot\n%s\nwant\n%s", f.Name(), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for i, rule := range phrases() {
		if !seen[rule.cure+string(rune('a'+i))] {
			t.Errorf("no example has %s", rule.pattern)
		}
	}
}
