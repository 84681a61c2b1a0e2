package small

import (
	"context"
	"database/sql"
	"net/http"
)

type store struct{ db *sql.DB }

func (s *store) name(ctx context.Context, id int) (name string) {
	_ = s.db.QueryRowContext(ctx, "SELECT name FROM t WHERE id = ?", id).Scan(&name) //@name
	return name
}

func (s *store) price(ctx context.Context, id int) (price int) {
	_ = s.db.QueryRowContext(ctx, "SELECT price FROM t WHERE id = ?", id).Scan(&price) //@price
	return price
}

func (s *store) sell(ctx context.Context, id int) {
	_, _ = s.db.ExecContext(ctx, "UPDATE t SET n = 0 WHERE id = ?", id) //@sell
}

func (s *store) names(ctx context.Context, ids []int) (all []string) {
	for _, id := range ids {
		all = append(all, s.name(ctx, id)) //@inLoop
	}
	return all
}

func (s *store) list(ctx context.Context) (all []string) {
	rows, err := s.db.QueryContext(ctx, "SELECT name FROM t")
	if err != nil {
		return nil
	}
	defer rows.Close()
	for rows.Next() { //@rows
		var name string
		_ = rows.Scan(&name) //@scan
		all = append(all, name)
	}
	return all
}

func (s *store) both(w http.ResponseWriter, r *http.Request) {
	name := s.name(r.Context(), 1)   //@first
	price := s.price(r.Context(), 1) //@second
	_, _ = name, price
}

func (s *store) dependent(w http.ResponseWriter, r *http.Request) {
	name := s.name(r.Context(), 1)           //@dependent1
	price := s.price(r.Context(), len(name)) //@dependent2
	_ = price
}

func (s *store) decided(w http.ResponseWriter, r *http.Request) {
	name := s.name(r.Context(), 1) //@decided1
	if name == "" {
		return
	}
	_ = s.price(r.Context(), 1) //@decided2
}

func (s *store) changing(w http.ResponseWriter, r *http.Request) {
	s.sell(r.Context(), 1)      //@changing1
	_ = s.price(r.Context(), 1) //@changing2
}
