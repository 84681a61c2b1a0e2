package copies

import (
	"cmp"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/profile"
)

const (
	// hotFunctions is the number of functions that are copied unless they are named.
	hotFunctions = 8
	// hotLeast is the minimum share of the CPU time of such a function.
	hotLeast = 0.01
)

// Rank returns a function that ranks the functions to copy by their symbols, negative for none: those that match a
// regular expression or, if it is nil, those with the hottest own lines of a CPU profile.
func Rank(
	functions *regexp.Regexp, cpu *profile.Profile, own func(profile.Function) bool,
) (func(symbol string) int, error) {
	if functions != nil {
		return func(symbol string) int {
			if functions.MatchString(symbol) {
				return 0
			}
			return -1
		}, nil
	}
	const hint = "name the functions: --capture REGEXP"
	if cpu == nil {
		return nil, &diag.Error{
			Op: "capture", Err: errors.New("there is no CPU profile that shows the hottest lines"), Hint: hint,
		}
	}
	hot := Hottest(cpu, own)
	if len(hot) == 0 {
		return nil, &diag.Error{Op: "capture", Err: errors.New("no function of own code has a hot line"), Hint: hint}
	}
	return func(symbol string) int { return slices.Index(hot, symbol) }, nil
}

// Hottest returns the symbols of the functions whose lines are charged the most CPU time, and of their callers.
func Hottest(p *profile.Profile, own func(profile.Function) bool) []string {
	typ, err := p.TypeIndex("cpu")
	if err != nil {
		return nil
	}
	v, err := p.View(profile.Query{Type: typ})
	if err != nil {
		return nil
	}
	weight, total := map[string]float64{}, 0.0
	for stack := range v.Stacks() {
		total += float64(stack.Value)
		seen := map[string]bool{}
		share := float64(stack.Value)
		for _, l := range stack.Lines { // leaf first
			at := p.Lines[l].Function
			if at == profile.None || !own(p.Functions[at]) {
				continue
			}
			name := symbolOf(p.Functions[at].Name)
			if seen[name] {
				continue
			}
			seen[name] = true
			weight[name] += share
			// A caller sees the arguments, too, but less of what makes the line hot.
			if share /= 4; len(seen) == 3 {
				break
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(weight), func(a, b string) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), strings.Compare(a, b))
	})
	names = slices.DeleteFunc(names, func(name string) bool { return weight[name] < hotLeast*total })
	return names[:min(len(names), hotFunctions)]
}

// symbolOf returns the symbol of the declared function that a function is in: of literals, and of instances.
func symbolOf(name string) string {
	name = strings.ReplaceAll(profile.Generic(name), "[...]", "")
	return strings.TrimSuffix(literal().ReplaceAllString(name, ""), "-fm")
}

func literal() *regexp.Regexp {
	return regexp.MustCompile(`(\.(func|gowrap|deferwrap)\d+(\.\d+)*)+(-range\d+)?$`)
}
