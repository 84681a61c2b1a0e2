package rules

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
)

// A Doc explains a rule.
type Doc struct {
	Title    string `json:"title"`           // one sentence: what the rule is about
	Text     string `json:"text"`            // what costs, and why; Markdown paragraphs
	Before   string `json:"before"`          // Go code
	After    string `json:"after,omitempty"` // Go code; "" when the rule only reports
	Evidence string `json:"evidence"`        // what a profile shows
	Safety   string `json:"safety"`          // why the rewrite keeps behavior, and when there is none
}

// ParseDoc parses the package comment of a rule's doc.go:
//
//	// Package name defines a rule: TITLE.
//	//
//	// TEXT
//	//
//	// # Before
//	//
//	//	code
//	//
//	// # After
//	//
//	//	code
//	//
//	// # Evidence
//	//
//	// TEXT
//	//
//	// # Safety
//	//
//	// TEXT
//
// It panics if the comment has another form. Each rule's test calls it.
func ParseDoc(source string) Doc {
	d, err := parseDoc(source)
	if err != nil {
		panic("doc.go of a rule: " + err.Error())
	}
	return d
}

func parseDoc(source string) (Doc, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", source, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return Doc{}, err
	}
	if f.Doc == nil {
		return Doc{}, fmt.Errorf("package %s has no comment", f.Name.Name)
	}
	head, rest, _ := strings.Cut(f.Doc.Text(), "\n\n")
	head = strings.Join(strings.Fields(head), " ")
	title, ok := strings.CutPrefix(head, "Package "+f.Name.Name+" defines a rule: ")
	if !ok || !strings.HasSuffix(title, ".") {
		return Doc{}, fmt.Errorf(
			"package %s: the comment begins with %q (want \"Package %s defines a rule: ….\")",
			f.Name.Name, head, f.Name.Name,
		)
	}
	d := Doc{Title: strings.TrimSuffix(title, ".")}
	sections := map[string]*string{
		"": &d.Text, "Before": &d.Before, "After": &d.After,
		"Evidence": &d.Evidence, "Safety": &d.Safety,
	}
	section := ""
	for line := range strings.Lines(rest) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			section = strings.TrimSpace(name)
			if sections[section] == nil {
				return Doc{}, fmt.Errorf("package %s: section %q, (want Before, After, Evidence or Safety)", f.Name.Name, section)
			}
			continue
		}
		if section == "Before" || section == "After" {
			line = strings.TrimPrefix(line, "\t")
		}
		*sections[section] += line
	}
	for name, text := range sections {
		*text = strings.Trim(*text, "\n")
		if *text == "" && name != "After" {
			return Doc{}, fmt.Errorf("package %s: section %q is empty", f.Name.Name, name)
		}
	}
	return d, nil
}
