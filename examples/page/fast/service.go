package fast

import (
	"bytes"
	"cmp"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/whet-go/whet/examples/page/shop"
)

// maxPages is the memory that rendered pages may take, in bytes.
const maxPages = 16 << 20

// A Service shows the goods of a shop.
type Service struct {
	goods []shop.Good
	page  *template.Template
	pages *cache
}

// New shows goods, which must not change afterwards.
func New(goods []shop.Good) *Service { return &Service{goods, shop.Page(), newCache(maxPages)} }

// Handler answers GET / with the page for the input in the query.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.handlePage)
	return mux
}

func (s *Service) handlePage(w http.ResponseWriter, r *http.Request) {
	in, err := shop.ParseInput(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = s.Page(w, in) // the visitor has left
}

// Page writes the page for in.
func (s *Service) Page(w io.Writer, in shop.Input) error {
	page, ok := s.pages.get(in)
	if !ok {
		var out bytes.Buffer
		goods := Select(s.goods, in.Group, in.Order)
		if err := s.page.Execute(&out, shop.View{Input: in, Groups: shop.Groups(), Goods: goods}); err != nil {
			return err
		}
		page = out.Bytes()
		s.pages.add(in, page)
	}
	_, err := w.Write(page)
	return err
}

// Select returns the goods of a group, "" for all, in the order "name", "price" or
// "", which is that of their numbers. Equal goods are in the order of their numbers, too.
func Select(goods []shop.Good, group, order string) []shop.Good {
	selected := make([]shop.Good, 0, len(goods))
	for i := range goods {
		if group == "" || goods[i].Group == group {
			selected = append(selected, goods[i])
		}
	}
	compare := func(a, b shop.Good) int { return cmp.Compare(a.Number, b.Number) }
	switch order {
	case "name":
		compare = func(a, b shop.Good) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Number, b.Number))
		}
	case "price":
		compare = func(a, b shop.Good) int {
			return cmp.Or(cmp.Compare(a.Cents, b.Cents), cmp.Compare(a.Number, b.Number))
		}
	}
	slices.SortFunc(selected, compare)
	return selected
}
