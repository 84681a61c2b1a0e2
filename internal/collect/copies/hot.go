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

// Hot is what users write instead of a regular expression for the functions with the hottest own lines.
const Hot = "hot"

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
	hottest := Hottest(cpu, own)
	if len(hottest) == 0 {
		return nil, &diag.Error{Op: "capture", Err: errors.New("no function of own code has a hot line"), Hint: hint}
	}
	ranks := map[string]int{}
	for i, f := range hottest {
		ranks[f.Symbol] = i
		for _, l := range f.Literals {
			ranks[l] = i
		}
	}
	return func(symbol string) int {
		if i, ok := ranks[symbol]; ok {
			return i
		}
		return -1
	}, nil
}

// A Function is one with hot lines, or a caller of one.
type Function struct {
	// Symbol is that of a declared function, without type arguments; of a function literal only if it is in a function
	// that is called once, or in none.
	Symbol string
	// Literals are the symbols of the function literals in it that have hot lines or call such functions.
	Literals []string
}

// Hottest returns the functions whose lines are charged the most CPU time, and their callers.
func Hottest(p *profile.Profile, own func(profile.Function) bool) []Function {
	typ, err := p.TypeIndex("cpu")
	if err != nil {
		return nil
	}
	v, err := p.View(profile.Query{Type: typ})
	if err != nil {
		return nil
	}
	weight, literals, total := map[string]float64{}, map[string][]string{}, 0.0
	for stack := range v.Stacks() {
		total += float64(stack.Value)
		seen := map[string]bool{}
		share := float64(stack.Value)
		for _, l := range stack.Lines { // leaf first
			at := p.Lines[l].Function
			if at == profile.None || !own(p.Functions[at]) {
				continue
			}
			symbol, literal := symbolOf(p.Functions[at].Name)
			if literal != "" && !slices.Contains(literals[symbol], literal) {
				literals[symbol] = append(literals[symbol], literal)
			}
			if seen[symbol] {
				continue
			}
			seen[symbol] = true
			weight[symbol] += share
			// A caller sees the arguments, too, but less of what makes the line hot.
			if share /= 4; len(seen) == 3 {
				break
			}
		}
	}
	symbols := slices.SortedFunc(maps.Keys(weight), func(a, b string) int {
		return cmp.Or(cmp.Compare(weight[b], weight[a]), strings.Compare(a, b))
	})
	symbols = slices.DeleteFunc(symbols, func(s string) bool { return weight[s] < hotLeast*total })
	var all []Function
	for _, s := range symbols[:min(len(symbols), hotFunctions)] {
		all = append(all, Function{s, literals[s]})
	}
	return all
}

// symbolOf returns the symbol of the declared function that a function is in, for instances and function literals, and
// that of the literal. A literal in a function that is called once, such as main, is its own: the arguments of that
// function say nothing about it.
func symbolOf(name string) (symbol, literal string) {
	name = strings.TrimSuffix(strings.ReplaceAll(profile.Generic(name), "[...]", ""), "-fm")
	name = loopBody().ReplaceAllString(name, "")
	symbol = literalPart().ReplaceAllString(name, "")
	if symbol == name {
		return name, ""
	}
	if strings.HasSuffix(symbol, ".init") || initFunction().MatchString(symbol) || symbol == "main.main" {
		return name, name
	}
	return symbol, name
}

// loopBody matches what the compiler adds to the symbol of a function for the body of a loop over a function.
func loopBody() *regexp.Regexp { return regexp.MustCompile(`-range\d+$`) }

// literalPart matches what the compiler adds for a function literal, and for what go and defer statements call.
func literalPart() *regexp.Regexp {
	return regexp.MustCompile(`(\.(func|gowrap|deferwrap)\d+(\.\d+)*)+$`)
}

// initFunction matches the symbols of the functions init of a package.
func initFunction() *regexp.Regexp { return regexp.MustCompile(`\.init\.\d+$`) }
