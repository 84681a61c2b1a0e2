package regexpcode

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/find/regexpcode/automaton"
)

// A ratio is the time of regexp for a call, and how many times as fast the code is.
type ratio struct {
	Pattern, Method, Text string
	Regexp                float64 // nanoseconds
	Ratio, Peer           float64 // Peer is that of the peer; 0 without it
}

// TestBench measures generated code next to package regexp, and next to a peer with the same methods
// if WHET_REGEXP_PEER names its module: make bench-regexp.
func TestBench(t *testing.T) {
	if os.Getenv("WHET_BENCH_REGEXP") == "" {
		t.Skip("it measures: make bench-regexp")
	}
	p := newProgram()
	var forms []Strategy
	for _, r := range realPatterns(t) {
		c, err := compile(r.Pattern)
		if err != nil {
			continue
		}
		texts := c.benchTexts()
		before := len(p.cases)
		p.add(t, stanza{r.Pattern, texts}, r.uses()[:1]...)
		if len(p.cases) > before {
			forms = append(forms, p.last)
		}
	}
	peer := os.Getenv("WHET_REGEXP_PEER")
	module, _, _ := strings.Cut(peer, "@")
	if peer == "" {
		module = "regexp"
	}
	source := strings.Replace(benchRunner, "PEER", module, 1)
	dir := t.TempDir()
	p.write(t, dir, source)
	if peer != "" {
		get := exec.CommandContext(t.Context(), "go", "get", peer)
		get.Dir = dir
		if out, err := get.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", ".")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if file := os.Getenv("WHET_BENCH_REGEXP"); filepath.Ext(file) == ".json" {
		if err := os.WriteFile(file, out, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var list []ratio
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	byForm := map[Strategy][]ratio{}
	for i, r := range list {
		byForm[forms[i/3]] = append(byForm[forms[i/3]], r)
	}
	for _, form := range slices.Sorted(maps.Keys(byForm)) {
		t.Log(form.String(), summary(byForm[form]))
	}
	t.Log("all", summary(list))
	slices.SortFunc(list, func(x, y ratio) int { return int(math.Copysign(1, x.Ratio-y.Ratio)) })
	for _, r := range list[:min(12, len(list))] {
		t.Logf("%.1fx (peer %.1fx) %s %s on %.60q: regexp %.0f ns", r.Ratio, r.Peer, r.Method, r.Pattern, r.Text, r.Regexp)
	}
	if list[0].Ratio < 0.5 {
		t.Errorf("code is slower than regexp: %.2fx", list[0].Ratio)
	}
}

// summary describes how many times as fast as regexp something is.
func summary(list []ratio) string {
	slices.SortFunc(list, func(x, y ratio) int { return int(math.Copysign(1, x.Ratio-y.Ratio)) })
	product, peers := 0.0, 0.0
	for _, r := range list {
		product += math.Log(r.Ratio)
		peers += math.Log(r.Peer)
	}
	n := float64(len(list))
	at := func(share float64) float64 { return list[int(share*(n-1))].Ratio }
	return fmt.Sprintf(
		"%d calls: %.1f times as fast (geometric mean), lowest %.1f, 10%% %.1f, 50%% %.1f, 90%% %.1f; peer %.1f",
		len(list), math.Exp(product/n), at(0), at(0.1), at(0.5), at(0.9), math.Exp(peers/n))
}

// benchTexts returns a text that the pattern matches, one that it does not, and a longer one.
func (c *compiled) benchTexts() []string {
	matching := c.matching()
	failing := matching + "\x01"
	if n := len(matching); n > 0 {
		failing = matching[:n-1] + "\x01"
	}
	long := strings.Repeat("the quick brown fox jumps over 13 lazy dogs, ", 10)
	return []string{matching, failing, long + matching + " " + long}
}

// matching returns a text that the pattern matches: a walk through its automaton, with each loop
// taken a few times.
func (c *compiled) matching() string {
	a := c.match
	text := ""
	taken := map[[2]int]int{}
	for q := a.Begin[automaton.AtBegin]; q >= 0 && len(text) < 100; {
		best, cost := -1, 1<<30
		for class := range a.Classes {
			x := a.States[q].Next[class]
			n := taken[[2]int{q, class}]
			if x.To < 0 && x.Accept == nil || n > 6 {
				continue
			}
			if x.To < 0 {
				n = 100
			}
			if n < cost {
				best, cost = class, n
			}
		}
		if best < 0 {
			break
		}
		taken[[2]int{q, best}]++
		text += string(a.Classes[best].Sample())
		if c.re.MatchString(text) && len(text) > 12 {
			break
		}
		q = a.States[q].Next[best].To
	}
	if c.re.MatchString(text) {
		return text
	}
	for q, s := range a.Samples() {
		for class, x := range a.States[q].Next {
			if x.Accept == nil {
				continue
			}
			if class == len(a.Classes) {
				return s
			}
			return s + string(a.Classes[class].Sample())
		}
	}
	return text
}

const benchRunner = `package main

import (
	_ "embed"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	peer "PEER"
)

//go:embed cases.json
var data []byte

func quoteBytes(b []byte) []byte { return []byte(strconv.Quote(string(b))) }

func unquote(s string) string {
	s, err := strconv.Unquote(s)
	if err != nil {
		panic(err)
	}
	return s
}

type matcher interface {
	MatchString(string) bool
	Match([]byte) bool
	FindString(string) string
	FindStringIndex(string) []int
	FindStringSubmatch(string) []string
	FindStringSubmatchIndex(string) []int
	FindAllString(string, int) []string
	FindAllStringIndex(string, int) [][]int
	FindAllStringSubmatch(string, int) [][]string
	FindSubmatch([]byte) [][]byte
	FindSubmatchIndex([]byte) []int
	FindIndex([]byte) []int
	ReplaceAllString(string, string) string
	Split(string, int) []string
}

// call returns a call of a method, without reflection for the usual ones.
func call(re matcher, method, text string, args []string) func() {
	b := []byte(text)
	switch method {
	case "MatchString":
		return func() { re.MatchString(text) }
	case "Match":
		return func() { re.Match(b) }
	case "FindString":
		return func() { re.FindString(text) }
	case "FindStringIndex":
		return func() { re.FindStringIndex(text) }
	case "FindStringSubmatch":
		return func() { re.FindStringSubmatch(text) }
	case "FindStringSubmatchIndex":
		return func() { re.FindStringSubmatchIndex(text) }
	case "FindAllString":
		return func() { re.FindAllString(text, -1) }
	case "FindAllStringIndex":
		return func() { re.FindAllStringIndex(text, -1) }
	case "FindAllStringSubmatch":
		return func() { re.FindAllStringSubmatch(text, -1) }
	case "FindSubmatch":
		return func() { re.FindSubmatch(b) }
	case "FindSubmatchIndex":
		return func() { re.FindSubmatchIndex(b) }
	case "FindIndex":
		return func() { re.FindIndex(b) }
	case "ReplaceAllString":
		return func() { re.ReplaceAllString(text, args[0]) }
	case "Split":
		return func() { re.Split(text, -1) }
	}
	m := reflect.ValueOf(re).MethodByName(method)
	in := []reflect.Value{reflect.ValueOf(text)}
	if !strings.Contains(method, "String") {
		in[0] = reflect.ValueOf(b)
	}
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "#"):
			in = append(in, reflect.ValueOf(-1))
		case a == "func" && strings.Contains(method, "String"):
			in = append(in, reflect.ValueOf(strconv.Quote))
		case a == "func":
			in = append(in, reflect.ValueOf(quoteBytes))
		case strings.Contains(method, "String"):
			in = append(in, reflect.ValueOf(a))
		default:
			in = append(in, reflect.ValueOf([]byte(a)))
		}
	}
	return func() { m.Call(in) }
}

// measure returns the nanoseconds of a call: the lowest of several rounds, the functions in turns.
func measure(list ...func()) []float64 {
	const rounds, span = 7, 2 * time.Millisecond
	count := make([]int, len(list))
	for i, f := range list {
		n := 1
		for {
			start := time.Now()
			for range n {
				f()
			}
			if time.Since(start) > span {
				break
			}
			n *= 2
		}
		count[i] = n
	}
	low := make([]float64, len(list))
	for range rounds {
		for i, f := range list {
			start := time.Now()
			for range count[i] {
				f()
			}
			ns := float64(time.Since(start)) / float64(count[i])
			if low[i] == 0 || ns < low[i] {
				low[i] = ns
			}
		}
	}
	return low
}

func main() {
	var cases []struct {
		Pattern, Method string
		Args, Texts     []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		panic(err)
	}
	type ratio struct {
		Pattern, Method, Text string
		Regexp, Ratio, Peer   float64
	}
	var list []ratio
	for i, c := range cases {
		re := regexp.MustCompile(unquote(c.Pattern))
		other := peer.MustCompile(unquote(c.Pattern))
		for _, quoted := range c.Texts {
			text := unquote(quoted)
			f := calls[i]
			ns := measure(call(re, c.Method, text, c.Args), func() { f(text) }, call(other, c.Method, text, c.Args))
			list = append(list, ratio{c.Pattern, c.Method, text, ns[0], ns[0] / ns[1], ns[0] / ns[2]})
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		panic(err)
	}
}
`
