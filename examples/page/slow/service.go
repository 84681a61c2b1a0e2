package slow

import (
	"html/template"
	"io"
	"net/http"
	"sort"

	"github.com/whet-go/whet/examples/page/shop"
)

// A Service shows the goods of a shop.
type Service struct {
	goods []shop.Good
	page  *template.Template
}

// New shows goods, which must not change afterwards.
func New(goods []shop.Good) *Service { return &Service{goods, shop.Page()} }

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
	goods := Select(s.goods, in.Group, in.Order)
	return s.page.Execute(w, shop.View{Input: in, Groups: shop.Groups(), Goods: goods})
}

// Select returns the goods of a group, "" for all, in the order "name", "price" or
// "", which is that of their numbers. Equal goods are in the order of their numbers, too.
func Select(goods []shop.Good, group, order string) []shop.Good {
	var selected []shop.Good
	for _, g := range goods {
		if group == "" || g.Group == group {
			selected = append(selected, g)
		}
	}
	sort.Slice(selected, func(i, j int) bool {
		a, b := selected[i], selected[j]
		switch {
		case order == "name" && a.Name != b.Name:
			return a.Name < b.Name
		case order == "price" && a.Cents != b.Cents:
			return a.Cents < b.Cents
		}
		return a.Number < b.Number
	})
	return selected
}
