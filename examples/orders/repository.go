package main

import (
	"context"
	"database/sql"
)

type repository struct {
	db *sql.DB
}

type product struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	Price    int64  `json:"price"`
	Stock    int64  `json:"stock"`
	Category string `json:"category"`
}

type review struct {
	Author string `json:"author"`
	Text   string `json:"text"`
}

type order struct {
	Customer string `json:"customer"`
	Product  int64  `json:"product"`
	Name     string `json:"name,omitempty"`
	Count    int64  `json:"count"`
}

func (r *repository) product(ctx context.Context, id int64) (product, error) {
	p := product{ID: id}
	row := r.db.QueryRowContext(ctx, "SELECT name, price, stock, category FROM products WHERE id = ?", id)
	err := row.Scan(&p.Name, &p.Price, &p.Stock, &p.Category)
	return p, err
}

func (r *repository) category(ctx context.Context, name string) ([]product, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT id, name, price FROM products WHERE category = ? LIMIT 10", name)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []product
	for rows.Next() {
		var p product
		if err := rows.Scan(&p.ID, &p.Name, &p.Price); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

func (r *repository) all(ctx context.Context) ([]product, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT id, name, price FROM products")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []product
	for rows.Next() {
		var p product
		if err := rows.Scan(&p.ID, &p.Name, &p.Price); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, rows.Err()
}

func (r *repository) reviews(ctx context.Context, id int64) ([]review, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT author, text FROM reviews WHERE product = ?", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []review
	for rows.Next() {
		var one review
		if err := rows.Scan(&one.Author, &one.Text); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

func (r *repository) ordersOf(ctx context.Context, customer string) ([]order, error) {
	rows, err := r.db.QueryContext(ctx, "SELECT product, count FROM orders WHERE customer = ? LIMIT 12", customer)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []order
	for rows.Next() {
		o := order{Customer: customer}
		if err := rows.Scan(&o.Product, &o.Count); err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return list, rows.Err()
}

func (r *repository) setStock(ctx context.Context, id, stock int64) error {
	_, err := r.db.ExecContext(ctx, "UPDATE products SET stock = ? WHERE id = ?", stock, id)
	return err
}

func (r *repository) addOrder(ctx context.Context, o order) error {
	_, err := r.db.ExecContext(ctx,
		"INSERT INTO orders (customer, product, count) VALUES (?, ?, ?)", o.Customer, o.Product, o.Count)
	return err
}
