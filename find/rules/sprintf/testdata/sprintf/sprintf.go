package sprintf

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"test/values"
)

type plain string

type named string

func (n named) String() string { return "<" + string(n) + ">" }

type pointed string

func (p *pointed) String() string { return "not called" }

type number uint16

type flag bool

type fraction float32

func Strings(a, b string, p plain, q pointed) []string {
	return []string{
		fmt.Sprintf("%s.%s", a, b),             // want `Sprintf takes`
		fmt.Sprintf("a.%s.b", p),               // want `Sprintf takes`
		fmt.Sprintf("request.%v.timing%%", q),  // want `Sprintf takes`
		fmt.Sprintf("%s", a),                   // want `Sprintf takes`
		fmt.Sprintf("%q\xff\n%q", a, p),        // want `Sprintf takes`
		fmt.Sprintf("%s:%d|c", a, 1),           // want `Sprintf takes`
		fmt.Sprintf("%s%s", a+"-", "x"+b),      // want `Sprintf takes`
		fmt.Sprint(a, b, p),                    // want `Sprint takes`
		fmt.Sprint(),                           // want `Sprint takes`
		"<" + fmt.Sprintf("%s-%s", a, b) + ">", // want `Sprintf takes`
		fmt.Sprintf("%s-%s", a, b)[1:],         // want `Sprintf takes`
		fmt.Sprintf("é%s", []byte(a)),          // want `Sprintf takes`
		fmt.Sprintf(`\%s"`, a),                 // want `Sprintf takes`
	}
}

func Numbers(i int, i8 int8, i64 int64, u uint, u8 byte, u64 uint64, n number, r rune, up uintptr) []string {
	return []string{
		fmt.Sprintf("%d", i),                                   // want `Sprintf takes`
		fmt.Sprintf("%d %v %d %d", i8, i64, u, u8),             // want `Sprintf takes`
		fmt.Sprintf("%v/%d/%c/%v", u64, n, r, r),               // want `Sprintf takes`
		fmt.Sprintf("%x-%x-%x-%o-%b-%v", i, u8, n, i64, r, up), // want `Sprintf takes`
		fmt.Sprintf("%x%d%v", 255, 'a', -3),                    // want `Sprintf takes`
		fmt.Sprint(i, u8, "x", n, r),                           // want `Sprint takes`
	}
}

func Others(b bool, f flag, x float64, y float32, z fraction) string {
	return fmt.Sprintf("%t %v %v", b, f, true) + // want `Sprintf takes`
		fmt.Sprintf("%v %g %v %v", x, x, y, z) + // want `Sprintf takes`
		fmt.Sprintf("%f %.0f %.3f %e %.1e %.2f", x, y, z, x, y, 1.5) // want `Sprintf takes`
}

type counter struct{ n int }

func (c *counter) next() int {
	c.n++
	return c.n
}

func Order(c *counter) string {
	return fmt.Sprintf("%d.%d", c.n, c.next()) + // want `Sprintf takes`
		fmt.Sprintf("%d.%d.%d", c.next(), c.next(), c.n) // want `Sprintf takes`
}

func Label(buf *bytes.Buffer, name string, id int) {
	fmt.Fprintf(buf, "name is: %s", name) // want `buf writes strings itself`
	fmt.Fprintf(buf, "%s=%d;", name, id)  // want `buf writes strings itself`
	fmt.Fprint(buf, name, "\n")           // want `buf writes strings itself`
	fmt.Fprintf(buf, "%s", buf.Bytes())   // want `buf writes strings itself`
}

type page struct {
	out  strings.Builder
	name *string
}

func (p *page) write(r rune, raw []byte, x float64) {
	fmt.Fprintf(&p.out, "%c%s%v", r, raw, x) // want `p.out writes strings itself`
	fmt.Fprintf(&p.out, "%s", *p.name)       // want `p.out writes strings itself`
	if _, err := fmt.Fprintf(&p.out, "x%s", "y"); err != nil {
		panic(err)
	}
	fmt.Fprintf(&p.out, "half%s", *p.name) // want `p.out writes strings itself`
}

func halves(p *page) (s string) {
	defer func() { s = fmt.Sprint(recover()) + p.out.String() }()
	p.write('x', nil, 1)
	return ""
}

func Try(r *rand.Rand) string {
	a, b, n := values.String(r), values.String(r), values.Int(r)
	var buf bytes.Buffer
	Label(&buf, a, n)
	p := page{name: &b}
	p.write(values.Rune(r), values.Bytes(r), values.Float(r))
	x := values.Float(r)
	one := "1" + a
	return fmt.Sprintf("%q", []any{
		Strings("x"+a, b, plain(a), pointed(b)), Numbers(n, int8(n), int64(n), uint(n), byte(n), uint64(n), number(n), values.Rune(r), uintptr(n)),
		Others(n > 1, n > 2, x, float32(x), fraction(x)), Order(&counter{}), buf.String(), p.out.String(), halves(&page{}),
		Methods(named(a), time.Duration(n), nil), Flags(n, a, x), Generic(one, n), Written(a),
	})
}
