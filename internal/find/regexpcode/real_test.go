package regexpcode

import (
	"bufio"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// A realPattern is a pattern of a public module, with the methods that it is used for.
type realPattern struct {
	Module  string   `json:"module"`
	Pattern string   `json:"pattern"`
	Methods []string `json:"methods"`
}

func realPatterns(t testing.TB) []realPattern {
	t.Helper()
	name := os.Getenv("WHET_PATTERNS")
	if name == "" {
		name = filepath.Join("testdata", "patterns.jsonl")
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var list []realPattern
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var p realPattern
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// uses returns the pattern's uses, with usual arguments: MatchString if none is known.
func (p realPattern) uses() []testUse {
	var uses []testUse
	for _, m := range p.Methods {
		switch k := methodOf(m); {
		case k.kind == unsupported:
		case k.kind == replaceFunc:
			uses = append(uses, testUse{m, []string{"func"}})
		case k.kind == replaceTemplate || k.kind == replaceLiteral:
			uses = append(uses, testUse{m, []string{"<$0>"}})
		case k.kind == splitText || k.all:
			uses = append(uses, testUse{m, []string{"#-1"}})
		default:
			uses = append(uses, testUse{m, nil})
		}
	}
	if len(uses) == 0 {
		uses = []testUse{{"MatchString", nil}}
	}
	return uses
}

// TestReal compares on patterns of public modules, and texts that are made from them.
func TestReal(t *testing.T) {
	t.Parallel()
	p := newProgram()
	for _, r := range realPatterns(t) {
		p.add(t, stanza{r.Pattern, append(hardTexts(), textsFor(r.Pattern)...)}, r.uses()...)
	}
	p.run(t)
	for _, why := range slices.Sorted(maps.Keys(p.refused)) {
		t.Logf("%3d %s", p.refused[why], why)
	}
}

// textsFor returns texts that a pattern matches, or nearly does: walks through its automaton.
func textsFor(pattern string) []string {
	c, err := compile(pattern)
	if err != nil {
		return nil
	}
	samples := c.match.Samples()
	if c.match.Begin[automaton.AtBegin] < 0 {
		return nil
	}
	var texts []string
	for q, s := range c.match.States {
		if len(texts) > 200 {
			break
		}
		texts = append(texts, samples[q])
		for class, x := range c.match.Classes {
			r := string(x.Sample())
			texts = append(texts, samples[q]+r, "x "+samples[q]+r+" y")
			if to := s.Next[class].To; to >= 0 {
				texts = append(texts, samples[q]+strings.Repeat(r, 3)+samples[q])
			}
		}
	}
	return texts
}
