package relabel

import (
	"crypto/md5" //nolint:gosec // Prometheus's hashmod is defined by it
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// MaxValue is the size of the longest name or value of a label, in bytes. Rules could otherwise
// double a value again and again.
const MaxValue = 8 << 10

// An Action is what a rule does.
type Action string

// The actions of Prometheus.
const (
	Replace   Action = "replace"
	Keep      Action = "keep"
	Drop      Action = "drop"
	KeepEqual Action = "keepequal"
	DropEqual Action = "dropequal"
	HashMod   Action = "hashmod"
	LabelMap  Action = "labelmap"
	LabelDrop Action = "labeldrop"
	LabelKeep Action = "labelkeep"
	Lowercase Action = "lowercase"
	Uppercase Action = "uppercase"
)

// Actions lists the valid actions.
func Actions() []string {
	return []string{
		string(Replace), string(Keep), string(Drop), string(KeepEqual), string(DropEqual), string(HashMod),
		string(LabelMap), string(LabelDrop), string(LabelKeep), string(Lowercase), string(Uppercase),
	}
}

// A Config is a rule as the configuration has it. nil pointers and "" mean the default.
type Config struct {
	SourceLabels []string
	Separator    *string // ";"
	TargetLabel  string
	Regex        *string // "(.*)"
	Modulus      uint64
	Replacement  *string // "$1"
	Action       string  // "replace"
}

// A Rule is a checked rule. Make one with New.
type Rule struct {
	sources     []string
	separator   string
	target      string
	regex       *regexp.Regexp
	modulus     uint64
	replacement string
	action      Action
}

// A FieldError reports which key of a rule is wrong.
type FieldError struct {
	Key string // as the configuration has it, such as "regex"
	Err error
}

// Error returns the key and what is wrong with it.
func (e *FieldError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *FieldError) Unwrap() error { return e.Err }

// New checks a rule. Errors are *FieldError.
func New(c Config) (Rule, error) {
	r := Rule{
		sources: slices.Clone(c.SourceLabels), separator: ";", target: c.TargetLabel, modulus: c.Modulus,
		replacement: "$1", action: Replace,
	}
	fail := func(key, format string, args ...any) (Rule, error) {
		return Rule{}, &FieldError{key, fmt.Errorf(format, args...)}
	}
	if c.Action != "" {
		r.action = Action(strings.ToLower(c.Action))
	}
	if !slices.Contains(Actions(), string(r.action)) {
		return fail("action", "unknown action %.40q (want %s)", c.Action, strings.Join(Actions(), ", "))
	}
	expression := "(.*)"
	if c.Regex != nil {
		expression = *c.Regex
	}
	var err error
	if r.regex, err = regexp.Compile("^(?s:" + expression + ")$"); err != nil {
		return fail("regex", "%q is not a regular expression: %w", cut(expression), cause(expression, err))
	}
	if c.Separator != nil {
		r.separator = *c.Separator
	}
	if c.Replacement != nil {
		r.replacement = *c.Replacement
	}
	for _, name := range r.sources {
		if !ValidName(name) {
			return fail("source_labels", "%.60q is not the name of a label (want letters, digits and underscores)", name)
		}
	}
	switch r.action {
	case Replace, HashMod, Lowercase, Uppercase, KeepEqual, DropEqual:
		if r.target == "" {
			return fail("target_label", "the action %s needs a target_label", r.action)
		}
		// The target of replace may contain $1.
		if plain := r.action != Replace || !strings.Contains(r.target, "$"); plain && !ValidName(r.target) {
			return fail("target_label", "%.60q is not the name of a label (want letters, digits and underscores)", r.target)
		}
	case Keep, Drop, LabelMap, LabelDrop, LabelKeep:
	}
	switch r.action {
	case HashMod:
		if r.modulus == 0 {
			return fail("modulus", "the action hashmod needs a modulus above zero")
		}
	case LabelMap, LabelDrop, LabelKeep:
		if len(r.sources) > 0 || r.target != "" {
			return fail("source_labels", "the action %s works on the names of all labels and takes only a regex%s", r.action,
				map[bool]string{true: " and a replacement"}[r.action == LabelMap])
		}
	case Replace, Keep, Drop, KeepEqual, DropEqual, Lowercase, Uppercase:
	}
	return r, nil
}

// cause returns why an expression does not compile on its own, without what New wrapped around it.
func cause(expression string, err error) error {
	if _, own := regexp.Compile(expression); own != nil {
		return own
	}
	return err
}

func cut(s string) string { return s[:min(len(s), 100)] }

// ValidName reports whether s can be the name of a label.
func ValidName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// errTooLong is the error of rules that make labels too long.
var errTooLong = errors.New("a rule makes a label longer than " + strconv.Itoa(MaxValue) + " bytes")

// Apply returns the labels that rules make of those of a target; nil if a rule drops the target. It
// fails if a label becomes longer than MaxValue.
func Apply(labels map[string]string, rules []Rule) (map[string]string, error) {
	out := maps.Clone(labels)
	if out == nil {
		out = map[string]string{}
	}
	for i := range rules {
		keep, err := rules[i].apply(out)
		if err != nil {
			return nil, err
		}
		if !keep {
			return nil, nil
		}
	}
	return out, nil
}

// apply changes labels, and reports whether to keep the target.
func (r *Rule) apply(labels map[string]string) (keep bool, err error) {
	set := func(name, value string) {
		switch {
		case len(name) > MaxValue || len(value) > MaxValue:
			err = errTooLong
		case value == "":
			delete(labels, name)
		default:
			labels[name] = value
		}
	}
	values := make([]string, len(r.sources))
	for i, name := range r.sources {
		values[i] = labels[name]
	}
	value := strings.Join(values, r.separator)
	switch r.action {
	case Keep:
		return r.regex.MatchString(value), nil
	case Drop:
		return !r.regex.MatchString(value), nil
	case KeepEqual:
		return labels[r.target] == value, nil
	case DropEqual:
		return labels[r.target] != value, nil
	case Replace:
		found := r.regex.FindStringSubmatchIndex(value)
		if found == nil {
			break
		}
		target := string(r.regex.ExpandString(nil, r.target, value, found))
		if ValidName(target) {
			set(target, string(r.regex.ExpandString(nil, r.replacement, value, found)))
		}
	case Lowercase:
		set(r.target, strings.ToLower(value))
	case Uppercase:
		set(r.target, strings.ToUpper(value))
	case HashMod:
		sum := md5.Sum([]byte(value)) //nolint:gosec // it divides targets, and keeps no secret
		set(r.target, strconv.FormatUint(binary.BigEndian.Uint64(sum[8:])%r.modulus, 10))
	case LabelMap:
		for _, name := range slices.Sorted(maps.Keys(labels)) {
			if r.regex.MatchString(name) {
				if to := r.regex.ReplaceAllString(name, r.replacement); ValidName(to) {
					set(to, labels[name])
				}
			}
		}
	case LabelDrop, LabelKeep:
		for name := range labels {
			if r.regex.MatchString(name) == (r.action == LabelDrop) {
				delete(labels, name)
			}
		}
	}
	return true, err
}
