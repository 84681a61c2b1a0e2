package shop

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
)

// A Good is something that is sold.
type Good struct {
	Number int // no two goods have the same
	Name   string
	Group  string // one of Groups
	Cents  int    // price of one
	Stock  int    // how many there are; 0 is sold out
	Notes  []string
}

// Price is how the price is written.
func (g Good) Price() string { return fmt.Sprintf("%d.%02d €", g.Cents/100, g.Cents%100) }

// Groups are the groups of goods.
func Groups() []string { return []string{"tea", "coffee", "cocoa"} }

// Goods are the goods of a shop of middling size: the same 600 every time.
func Goods() []Good {
	origins := []string{"Assam", "Yunnan", "Ceylon", "Huila", "Yirgacheffe", "São Tomé", "Esmeraldas", "Uji"}
	kinds := []string{"first picking", "Earl's & Bergamot", `"House" blend`, "smoked <strong>", "à la crème", "whole leaf"}
	notes := []string{"malty", "floral", "crème brûlée", "salt & butter", "dry"}
	goods := make([]Good, 600)
	for i := range goods {
		goods[i] = Good{
			Number: 1000 + i,
			Name:   origins[i%len(origins)] + ", " + kinds[i/3%len(kinds)],
			Group:  Groups()[i%len(Groups())],
			Cents:  250 + i*7919%3000,
			Stock:  i * 31 % 9,
			Notes:  []string{notes[i%len(notes)], notes[i/7%len(notes)]},
		}
	}
	return goods
}

//go:embed page.html
var page string

// Page is the template of the page, for a View.
func Page() *template.Template { return template.Must(template.New("page").Parse(page)) }

// A View is what a page shows.
type View struct {
	Input  Input
	Groups []string
	Goods  []Good
}

// An Input is everything that a page depends on, except for the goods.
type Input struct {
	Visitor string // who is greeted; "" for no greeting
	Group   string // the group that is shown; "" for all
	Order   string // "name" or "price"; "" is by number
}

// maxVisitor is the longest name of a visitor, in bytes.
const maxVisitor = 100

// ParseInput reads the query ?visitor=NAME&group=GROUP&order=ORDER, of which each
// part may be missing.
func ParseInput(query url.Values) (Input, error) {
	in := Input{query.Get("visitor"), query.Get("group"), query.Get("order")}
	if len(in.Visitor) > maxVisitor {
		return Input{}, fmt.Errorf("visitor: %d bytes, more than %d", len(in.Visitor), maxVisitor)
	}
	if in.Group != "" && !slices.Contains(Groups(), in.Group) {
		return Input{}, fmt.Errorf("unknown group %q (want one of %s)", in.Group, strings.Join(Groups(), ", "))
	}
	if in.Order != "" && in.Order != "name" && in.Order != "price" {
		return Input{}, fmt.Errorf("unknown order %q (want name or price)", in.Order)
	}
	return in, nil
}
