package syntax

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// Seen returns what others than the code that was compared may see of a change: of declarations that were removed,
// that are new, and that have changed, by their names as in Declarations, with the directory of their package. inside
// are those that look the same to other packages; outside has those whose users were compared, with why others may
// see them, "" if they do not.
func Seen(removed, added, declarations, inside []string, outside map[string]string) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, f := range removed {
		switch name := f[strings.LastIndexByte(f, '.')+1:]; {
		case strings.Contains(f, "("):
			add("method %s is gone: its type may no longer implement an interface", f)
		case ast.IsExported(name):
			add("%s is gone: other modules may call it", f)
		}
	}
	for _, f := range added {
		if name := f[strings.LastIndexByte(f, '.')+1:]; strings.Contains(f, "(") && IsDynamic(name) {
			add("method %s is new: other packages may treat its type differently, as package fmt does with String", f)
		}
	}
	for _, d := range declarations {
		switch kind, name := kindAndName(d); {
		case kind == "file" && has(outside, d):
			if why := outside[d]; why != "" {
				add("%s has changed: %s", d, why)
			}
		case kind != "const" && kind != "var" && kind != "type":
			add("%s has changed, and its effect was not compared", d)
		case !ast.IsExported(name) || slices.Contains(inside, d):
		default:
			if why, ok := outside[d]; !ok {
				add("%s has changed, and its users in other packages were not compared", d)
			} else if why != "" {
				add("%s has changed, and %s", d, why)
			}
		}
	}
	return list
}

func has(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// kindAndName splits the name of a declaration, as in Changed: "dir.const name".
func kindAndName(declaration string) (kind, name string) {
	kind, name, _ = strings.Cut(declaration, " ")
	return kind[strings.LastIndexByte(kind, '.')+1:], name
}
