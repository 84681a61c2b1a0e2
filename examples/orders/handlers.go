package main

import (
	"context"
	_ "embed"
	"encoding/csv"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// showProduct shows the page of a product.
func (s *server) showProduct(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "no such product", http.StatusNotFound)
		return
	}
	p, err := s.repo.product(r.Context(), id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reviews, err := s.repo.reviews(r.Context(), id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	similar, err := s.repo.category(r.Context(), p.Category)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	page, err := template.ParseFiles(filepath.Join(s.pages, "layout.html"), filepath.Join(s.pages, "product.html"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	err = page.Execute(w, map[string]any{"Product": p, "Reviews": reviews, "Similar": similar})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// history lists the orders of a customer, with the names of products.
func (s *server) history(w http.ResponseWriter, r *http.Request) {
	orders, err := s.repo.ordersOf(r.Context(), r.PathValue("customer"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for i := range orders {
		p, err := s.repo.product(r.Context(), orders[i].Product)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		orders[i].Name = p.Name
	}
	reply(w, orders)
}

// create takes an order.
func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var o order
	if err := json.Unmarshal(body, &o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if err := s.take(r.Context(), o); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	if err := s.repo.addOrder(r.Context(), o); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.popular.add(o.Product, 10*o.Count)
	s.outbox.queue <- o
	s.mailer.mails <- o.Customer
	reply(w, o)
}

// take reserves the goods.
func (s *server) take(ctx context.Context, o order) error {
	s.reserve.Lock()
	defer s.reserve.Unlock()
	p, err := s.repo.product(ctx, o.Product)
	if err != nil {
		return err
	}
	if p.Stock < o.Count {
		return errors.New("sold out")
	}
	return s.repo.setStock(ctx, o.Product, p.Stock-o.Count)
}

// viewed counts which products customers look at.
func (s *server) viewed(w http.ResponseWriter, r *http.Request) {
	var report struct {
		Customer string `json:"customer"`
		Views    []view `json:"views"`
	}
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &report)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for _, v := range report.Views {
		s.popular.add(v.Product, 1)
	}
	w.WriteHeader(http.StatusNoContent)
}

type view struct {
	Product int64   `json:"product"`
	Seconds float64 `json:"seconds"`
	From    string  `json:"from"`
}

// find searches for products.
func (s *server) find(w http.ResponseWriter, r *http.Request) {
	list, err := s.search.find(r.Context(), s.repo, r.FormValue("q"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	reply(w, list)
}

func (s *server) mostPopular(w http.ResponseWriter, _ *http.Request) {
	reply(w, s.popular.top(10))
}

//go:embed rates.csv
var ratesCSV string

// rates returns the price of shipping by country and weight in kilograms.
func rates() (map[string][]int, error) {
	records, err := csv.NewReader(strings.NewReader(ratesCSV)).ReadAll()
	if err != nil {
		return nil, err
	}
	prices := make(map[string][]int)
	for _, record := range records {
		for _, field := range record[1:] {
			price, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			prices[record[0]] = append(prices[record[0]], price)
		}
	}
	return prices, nil
}

// shipping tells what it costs to ship to a country.
func (s *server) shipping(w http.ResponseWriter, r *http.Request) {
	prices, err := rates()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	weight, err := strconv.Atoi(r.FormValue("kg"))
	byWeight := prices[r.FormValue("country")]
	if err != nil || weight < 1 || weight > len(byWeight) {
		http.Error(w, "we do not ship that", http.StatusNotFound)
		return
	}
	reply(w, map[string]int{"price": byWeight[weight-1]})
}

// priceTimeout is how long a customer waits for today's price.
const priceTimeout = time.Millisecond

// price answers with the price of a product, or that it takes too long to find out.
func (s *server) price(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.FormValue("id"), 10, 64)
	if err != nil {
		http.Error(w, "no such product", http.StatusNotFound)
		return
	}
	found := make(chan product)
	go func() {
		p, err := s.repo.product(context.Background(), id)
		if err != nil {
			p = product{ID: id}
		}
		found <- p
	}()
	select {
	case p := <-found:
		reply(w, p)
	case <-time.After(priceTimeout):
		http.Error(w, "try again", http.StatusServiceUnavailable)
	}
}
