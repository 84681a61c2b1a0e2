package scratch

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Complaint is a diagnostic of go vet.
type Complaint struct {
	Package  string // import path
	File     string // base name
	Line     int
	Decl     string // the function that contains it; "" if there is none
	Analyzer string // such as printf
	Message  string
}

// String returns the complaint as go vet prints it.
func (c Complaint) String() string {
	return c.File + ":" + strconv.Itoa(c.Line) + ": " + c.Message
}

// Vet returns go vet's diagnostics. There are none if vet cannot run.
func (m *Module) Vet(ctx context.Context, more, packages []string) []Complaint {
	out, _ := m.output(m.command(ctx, slices.Concat(more, []string{"-json"}), "vet", packages))
	return complaints(out)
}

// complaints reads the output of go vet -json: objects of several lines, after comments that name
// packages.
func complaints(out string) []Complaint {
	var list []Complaint
	seen := map[Complaint]bool{} // a package is vetted again with its tests
	decls := newDeclarations()
	var object strings.Builder
	for line := range strings.Lines(out) {
		switch strings.TrimRight(line, "\r\n") {
		case "{":
			object.Reset()
		case "}":
			object.WriteString(line)
			for _, c := range complaintsOf(object.String(), decls) {
				if !seen[c] {
					seen[c], list = true, append(list, c)
				}
			}
			object.Reset()
			continue
		}
		object.WriteString(line)
	}
	return list
}

// complaintsOf reads one object: diagnostics by analyzer, by package.
func complaintsOf(object string, decls *declarations) (list []Complaint) {
	type diagnostic struct{ Posn, Message string }
	var byPackage map[string]map[string]json.RawMessage // an analyzer may have an error instead
	if json.Unmarshal([]byte(object), &byPackage) != nil {
		return nil
	}
	for pkg, analyzers := range byPackage {
		pkg, _, _ = strings.Cut(pkg, " ") // [package.test]
		for analyzer, raw := range analyzers {
			var all []diagnostic
			if json.Unmarshal(raw, &all) != nil {
				continue
			}
			for _, d := range all {
				file, line := splitPosition(d.Posn)
				list = append(list, Complaint{
					Package: pkg, File: filepath.Base(file), Line: line, Decl: decls.at(file, line),
					Analyzer: analyzer, Message: d.Message,
				})
			}
		}
	}
	slices.SortFunc(list, func(a, b Complaint) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// splitPosition splits file:line:column.
func splitPosition(posn string) (file string, line int) {
	var numbers [2]string
	file = posn
	for i := range numbers {
		at := strings.LastIndexByte(file, ':')
		if at < 0 {
			return posn, 0
		}
		file, numbers[i] = file[:at], file[at+1:]
	}
	line, err := strconv.Atoi(numbers[1])
	if err != nil {
		return posn, 0
	}
	return file, line
}

// Declarations find the functions that contain lines.
type declarations struct {
	fset  *token.FileSet
	files map[string]*ast.File
}

func newDeclarations() *declarations {
	return &declarations{fset: token.NewFileSet(), files: map[string]*ast.File{}}
}

// at returns the name of the function that contains a line; "" if there is none, or the file cannot
// be read.
func (d *declarations) at(name string, line int) string {
	file, ok := d.files[name]
	if !ok {
		file, _ = parser.ParseFile(d.fset, name, nil, parser.SkipObjectResolution)
		d.files[name] = file
	}
	if file == nil {
		return ""
	}
	for _, decl := range file.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if ok && d.fset.Position(fn.Pos()).Line <= line && line <= d.fset.Position(fn.End()).Line {
			if fn.Recv == nil || len(fn.Recv.List) == 0 {
				return fn.Name.Name
			}
			var recv strings.Builder
			ast.Inspect(fn.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					recv.WriteString(id.Name + ".")
				}
				return true
			})
			return recv.String() + fn.Name.Name
		}
	}
	return ""
}

// NewComplaints returns the complaints of after that are not in before. Complaints are the same if
// the analyzer has as many in that function: a change may move and reword them. One with the same
// words may also move to another function of the file.
func NewComplaints(before, after []Complaint) []Complaint {
	left := slices.Clone(before)
	return unmatched(&left, unmatched(&left, after, func(a, b Complaint) bool {
		return a.Package == b.Package && a.File == b.File && a.Decl == b.Decl && a.Analyzer == b.Analyzer
	}), func(a, b Complaint) bool {
		return a.Package == b.Package && a.File == b.File && a.Analyzer == b.Analyzer && a.Message == b.Message
	})
}

// unmatched returns the complaints in list without an equal in left, from which it removes those
// with one.
func unmatched(left *[]Complaint, list []Complaint, equal func(a, b Complaint) bool) (rest []Complaint) {
	for _, c := range list {
		i := slices.IndexFunc(*left, func(b Complaint) bool { return equal(b, c) })
		if i < 0 {
			rest = append(rest, c)
			continue
		}
		*left = slices.Delete(*left, i, i+1)
	}
	return rest
}
