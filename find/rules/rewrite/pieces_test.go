package rewrite

import (
	"go/ast"
	"go/token"
	"strings"
	"testing"
)

func TestPieces(t *testing.T) {
	const head = `package p

import (
	"errors"
	"fmt"
	"strconv"
)

type name string

type loud string

func (loud) String() string { return "!" }

const c = "const"

func f(s string, n name, l loud, i int, i8 int8, u uint, b []byte, r rune, ok bool, x float64, x32 float32, e error, list []string) string {
	_ = errors.New("")
	_ = strconv.Itoa(1)
	return /*here*/ `
	for expr, want := range map[string][2]string{
		`s`:  {`s`, `append(to, s...)`},
		`""`: {`""`, `append(to, ""...)`},
		`"a" + c + s + ("b" + s)`: {
			`"aconst" + s + "b" + s`,
			`append(to, "aconst"...) append(to, s...) append(to, 'b') append(to, s...)`,
		},
		`"\xff" + s`:            {`"\xff" + s`, `append(to, "\xff"...) append(to, s...)`},
		`string(b) + string(r)`: {`string(b) + string(r)`, `append(to, b...) append(to, string(r)...)`},
		`string(n) + s`:         {`string(n) + s`, `append(to, string(n)...) append(to, s...)`},
		`strconv.Itoa(i+1)`:     {`strconv.Itoa(i+1)`, `strconv.AppendInt(to, int64(i+1), 10)`},
		`strconv.FormatFloat(x, 'f', -1, 64)`: {
			`strconv.FormatFloat(x, 'f', -1, 64)`,
			`strconv.AppendFloat(to, x, 'f', -1, 64)`,
		},
		`strconv.Quote(s)`: {`strconv.Quote(s)`, `strconv.AppendQuote(to, s)`},
		`list[0] + f2()`:   {`list[0] + f2()`, `append(to, list[0]...) append(to, f2()...)`},
		`fmt.Sprintf("%s:%d|%%", s, i)`: {
			`s + ":" + strconv.Itoa(i) + "|%"`,
			`append(to, s...) append(to, ':') strconv.AppendInt(to, int64(i), 10) append(to, "|%"...)`,
		},
		`fmt.Sprintf("%v %v", n, ok)`: {
			`string(n) + " " + strconv.FormatBool(ok)`,
			`append(to, n...) append(to, ' ') strconv.AppendBool(to, ok)`,
		},
		`fmt.Sprintf("%s", b)`: {`string(b)`, `append(to, b...)`},
		`fmt.Sprintf("%x%o%b", i, u, i8)`: {
			`strconv.FormatInt(int64(i), 16) + strconv.FormatUint(uint64(u), 8) + ` +
				`strconv.FormatInt(int64(i8), 2)`,
			`strconv.AppendInt(to, int64(i), 16) strconv.AppendUint(to, uint64(u), 8) ` +
				`strconv.AppendInt(to, int64(i8), 2)`,
		},
		`fmt.Sprintf("%q", n)`: {`strconv.Quote(string(n))`, `strconv.AppendQuote(to, string(n))`},
		`fmt.Sprintf("%c", r)`: {`string(r)`, `append(to, string(r)...)`},
		`fmt.Sprintf("%.2f %g %v", x, x32, x)`: {
			`strconv.FormatFloat(x, 'f', 2, 64) + " " + ` +
				`strconv.FormatFloat(float64(x32), 'g', -1, 32) + " " + ` +
				`strconv.FormatFloat(x, 'g', -1, 64)`,
			`strconv.AppendFloat(to, x, 'f', 2, 64) append(to, ' ') ` +
				`strconv.AppendFloat(to, float64(x32), 'g', -1, 32) append(to, ' ') ` +
				`strconv.AppendFloat(to, x, 'g', -1, 64)`,
		},
		`fmt.Sprintf("%d%t%s", 7, true, "x")`: {`"7truex"`, `append(to, "7truex"...)`},
		`fmt.Sprint(i, i8, s, ok, "x", u)`: {
			`strconv.Itoa(i) + " " + strconv.FormatInt(int64(i8), 10) + s + ` +
				`strconv.FormatBool(ok) + "x" + strconv.FormatUint(uint64(u), 10)`,
			"",
		},
		`fmt.Sprintf("%s", fmt.Sprintf("%d", i))`: {`strconv.Itoa(i)`, `strconv.AppendInt(to, int64(i), 10)`},
		// Verbs that do not fit.
		`fmt.Sprintf("%d", s)`: {`"%!d(string=" + s + ")"`, ""},
		`fmt.Sprintf("%s", i)`: {`"%!s(int=" + strconv.Itoa(i) + ")"`, ""},
		// These stay one piece: the text would differ, or is unknown.
		`fmt.Sprintf("%s", l)`:     {`fmt.Sprintf("%s", l)`, `append(to, fmt.Sprintf("%s", l)...)`},
		`fmt.Sprintf("%v", e)`:     {`fmt.Sprintf("%v", e)`, `append(to, fmt.Sprintf("%v", e)...)`},
		`fmt.Sprintf("%d", n)`:     {`fmt.Sprintf("%d", n)`, ""},
		`fmt.Sprintf("%s", 7)`:     {`fmt.Sprintf("%s", 7)`, ""},
		`fmt.Sprintf("%.2d", s)`:   {`fmt.Sprintf("%.2d", s)`, ""},
		`fmt.Sprintf("%5d", i)`:    {`fmt.Sprintf("%5d", i)`, ""},
		`fmt.Sprintf("%+d", i)`:    {`fmt.Sprintf("%+d", i)`, ""},
		`fmt.Sprintf("%.3s", s)`:   {`fmt.Sprintf("%.3s", s)`, ""},
		`fmt.Sprintf("%.999f", x)`: {`fmt.Sprintf("%.999f", x)`, ""},
		`fmt.Sprintf("%[1]d", i)`:  {`fmt.Sprintf("%[1]d", i)`, ""},
		`fmt.Sprintf("%d")`:        {`fmt.Sprintf("%d")`, ""},
		`fmt.Sprintf("%d", i, i)`:  {`fmt.Sprintf("%d", i, i)`, ""},
		`fmt.Sprintf("%", i)`:      {`fmt.Sprintf("%", i)`, ""},
		`fmt.Sprintf("%.2%")`:      {`fmt.Sprintf("%.2%")`, ""},
		`fmt.Sprintf(s, i)`:        {`fmt.Sprintf(s, i)`, ""},
		`fmt.Sprintf("%v", b)`:     {`fmt.Sprintf("%v", b)`, ""},
		`fmt.Sprintf("%x", s)`:     {`fmt.Sprintf("%x", s)`, ""},
		`fmt.Sprint(list)`:         {`fmt.Sprint(list)`, ""},
		`fmt.Sprintf("%v", list)`:  {`fmt.Sprintf("%v", list)`, ""},
	} {
		pass, at := passOf(t, head+expr+"\n}\n\nfunc f2() string { return \"\" }\n")
		ret, ok := cursorAt(t, pass, at-token.Pos(len("return ")), (*ast.ReturnStmt)(nil)).Node().(*ast.ReturnStmt)
		if !ok {
			t.Fatal("no return")
		}
		pieces := Pieces(pass, ret.Results[0])
		if got := Plus(pass, pieces, "strconv"); got != want[0] {
			t.Errorf("%s with +:\ngot  %s\nwant %s", expr, got, want[0])
		}
		var appends []string
		for _, p := range pieces {
			appends = append(appends, p.Append(pass, "to", "strconv"))
		}
		if got := strings.Join(appends, " "); want[1] != "" && got != want[1] {
			t.Errorf("%s appended:\ngot  %s\nwant %s", expr, got, want[1])
		}
		if got, wanted := NeedsStrconv(pieces),
			strings.Contains(strings.ReplaceAll(want[0], "fmt.Sprintf", ""), "strconv."); got != wanted {
			t.Errorf("%s needs strconv: %v", expr, got)
		}
	}
}
