package earlyreturn

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"test/values"
)

type client struct {
	prefix string
	rate   float64
	on     bool
	out    []string
}

var colons = strings.NewReplacer(":", "_")

func clean(name string) string { return colons.Replace(name) }

func other(name string) string { return strings.NewReplacer("|", "_").Replace(clean(name)) }

func (c *client) count(name string, n int) {
	c.out = append(c.out, "count")
	line := fmt.Sprintf("%s.", c.prefix) // want `this is done before float64\(rand.IntN\(1\)\) >= c.rate, which may return`
	line += other(name)
	line += ":" + strconv.Itoa(n)
	if c.rate < 1 {
		line += fmt.Sprintf("|@%s", strconv.FormatFloat(c.rate, 'f', -1, 64))
		if float64(rand.IntN(1)) >= c.rate {
			return
		}
	}
	c.out = append(c.out, line)
}

func (c *client) add(name string) bool {
	line := strings.ToUpper(name) // want `this is done before !c.on \|\| name == "", which may return`
	if !c.on || name == "" {
		return false
	}
	c.out = append(c.out, line)
	return true
}

func only(rate float64, on bool, name string) string {
	upper := strings.ToUpper(name) // want `this is done before name == "a" \|\| name == "b", which may return`
	if on || rate > 2 {
		if name == "a" || name == "b" {
			return "early"
		}
	}
	return upper
}

// needed reads what is computed.
func needed(name string) string {
	upper := strings.ToUpper(name)
	if upper == "A" {
		return "early"
	}
	return upper
}

// followed would panic later.
func (c *client) followed(name string, on bool) string {
	line := strings.ToUpper(c.prefix)
	if on {
		return "early"
	}
	return line + name
}

// effects are not put off.
func (c *client) effects(name string, on bool) string {
	line := strings.ToUpper(name)
	c.on = on
	if on {
		return line
	}
	if name == "" {
		return ""
	}
	return line + name
}

// cheap has nothing to save.
func cheap(a, b string, on bool) string {
	line := a + b
	if on {
		return ""
	}
	return line
}

// panics: an index may.
func panics(list []string, on bool) string {
	line := strings.ToUpper(list[0])
	if on {
		return ""
	}
	return line
}

// commented keeps its comment.
func commented(name string, on bool) string {
	line := strings.ToLower(name) // want `this is done before on, which may return`
	// Nothing to do.
	if on {
		return ""
	}
	return line
}

// asks calls a function whose effects are unknown.
func asks(name string, ask func() bool) string {
	line := strings.ToLower(name)
	if ask() {
		return ""
	}
	return line
}

func named(name string, on bool) (result string) {
	result = strings.ToLower(name)
	if on {
		return
	}
	return result + "!"
}

func Try(r *rand.Rand) string {
	c := &client{prefix: values.String(r), rate: []float64{0, 0.5, 1, 2}[r.IntN(4)], on: r.IntN(2) == 0}
	name := values.String(r)
	c.count(name, values.Int(r))
	added := c.add(name)
	on := r.IntN(2) == 0
	return fmt.Sprintf("%q", []any{
		c.out, added, only(c.rate, on, name), only(c.rate, on, "a"), needed(name), c.followed(name, on), c.effects(name, on), cheap(name, name, on),
		panics([]string{name}, on), commented(name, on), asks(name, func() bool { return on }), named(name, on),
	})
}
