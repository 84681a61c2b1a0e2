package store

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Names that matchers use for Profile.Service and Profile.Kind. No label has them.
const (
	ServiceLabel = "service"
	KindLabel    = "kind"
)

// A Label is a name and a value.
type Label struct{ Name, Value string }

// Labels are sorted by name, each name once, without empty values. In JSON they are an object.
type Labels []Label

// NewLabels returns labels with these names and values. Names follow Prometheus: other characters
// than letters, digits and underscores become underscores, and the names service and kind get the
// prefix exported_. Empty values are left out. If two names become one, the later in byte order of
// the original names wins.
func NewLabels(values map[string]string) Labels {
	named := make(map[string]string, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if v := values[name]; v != "" {
			named[labelName(name)] = strings.ToValidUTF8(v, "\uFFFD")
		}
	}
	ls := make(Labels, 0, len(named))
	for name, value := range named {
		ls = append(ls, Label{name, value})
	}
	slices.SortFunc(ls, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	return ls
}

func labelName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if !isNameByte(c, i) {
			b[i] = '_'
		}
	}
	switch s := string(b); s {
	case ServiceLabel, KindLabel:
		return "exported_" + s
	case "":
		return "_"
	default:
		return s
	}
}

// isNameByte reports whether c may be byte i of a label's name.
func isNameByte(c byte, i int) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9'
}

// isName reports whether s is the name of a label.
func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i], i) {
			return false
		}
	}
	return s != ""
}

// RevisionLabel is the name of the label that has the commit of the program: its hash, with +dirty if it
// was built from changed files.
const RevisionLabel = "vcs_revision"

// WithRevision returns labels with a RevisionLabel. They stay as they are if they have one, if the revision
// is "", or if there are as many as Limits allow.
func (ls Labels) WithRevision(revision string) Labels {
	if revision == "" || ls.Get(RevisionLabel) != "" || len(ls) >= (Limits{}).WithDefaults().Labels {
		return ls
	}
	i, _ := slices.BinarySearchFunc(ls, RevisionLabel, func(l Label, name string) int { return cmp.Compare(l.Name, name) })
	return slices.Insert(slices.Clone(ls), i, Label{RevisionLabel, revision})
}

// Get returns the value of a label, "" if there is none.
func (ls Labels) Get(name string) string {
	i, ok := slices.BinarySearchFunc(ls, name, func(l Label, name string) int { return cmp.Compare(l.Name, name) })
	if !ok {
		return ""
	}
	return ls[i].Value
}

// String returns the labels as a selector: {env="prod",host="a"}.
func (ls Labels) String() string {
	ms := make([]Matcher, len(ls))
	for i, l := range ls {
		ms[i] = Matcher{Name: l.Name, Op: Equal, Value: l.Value}
	}
	return Selector(ms)
}

// MarshalJSON writes the labels as an object.
func (ls Labels) MarshalJSON() ([]byte, error) {
	m := make(map[string]string, len(ls))
	for _, l := range ls {
		m[l.Name] = l.Value
	}
	return json.Marshal(m)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (ls *Labels) UnmarshalJSON(data []byte) error {
	var m map[string]string
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	*ls = NewLabels(m)
	return nil
}

// check returns what is wrong with the labels; nil if they are as NewLabels makes them.
func (ls Labels) check() error {
	for i, l := range ls {
		switch {
		case !isName(l.Name):
			return fmt.Errorf("label name %q (want letters, digits and underscores)", l.Name)
		case l.Name == ServiceLabel || l.Name == KindLabel:
			return fmt.Errorf("label name %q is reserved", l.Name)
		case l.Value == "":
			return fmt.Errorf("label %s has no value", l.Name)
		case i > 0 && ls[i-1].Name >= l.Name:
			return fmt.Errorf("label %s is not in order", l.Name)
		}
	}
	return nil
}

// LabelNamesOf returns the sorted names of the labels of series, with those of their service and kind; none without
// series.
func LabelNamesOf(all []Series) []string {
	names := map[string]bool{}
	for _, x := range all {
		names[ServiceLabel], names[KindLabel] = true, true
		for _, l := range x.Labels {
			names[l.Name] = true
		}
	}
	return sortedKeys(names)
}

// LabelValuesOf returns the sorted values of a label of series, which may be that of their service or kind.
func LabelValuesOf(all []Series, name string) []string {
	values := map[string]bool{}
	for _, x := range all {
		switch name {
		case ServiceLabel:
			values[x.Service] = true
		case KindLabel:
			values[x.Kind] = true
		default:
			values[x.Labels.Get(name)] = true
		}
	}
	delete(values, "")
	return sortedKeys(values)
}

// sortedKeys returns the keys of a set; an empty slice, not nil, if there are none.
func sortedKeys(set map[string]bool) []string {
	return slices.AppendSeq(make([]string, 0, len(set)), slices.Values(slices.Sorted(maps.Keys(set))))
}
