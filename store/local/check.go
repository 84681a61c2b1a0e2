package local

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/whet-go/whet/store"
)

// Check reads all that is stored, and verifies the database, all references, and that each profile
// still has the content that its ID is the hash of. progress, unless nil, is called now and then with
// the number of profiles read and of all. An error is returned only if checking is not possible.
func (s *Store) Check(ctx context.Context, progress func(done, all int)) (store.CheckReport, error) {
	r := store.CheckReport{Damage: []store.Damage{}}
	err := s.view(ctx, func(tx *sql.Tx) error {
		problems, err := column[string](ctx, tx, "PRAGMA integrity_check(100)")
		if err != nil {
			r.Add("the database", err)
		}
		for _, text := range problems {
			if text != "ok" {
				r.Add("the database", errors.New(text))
			}
		}
		all := 0
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM profile").Scan(&all); err != nil {
			r.Add("the table of profiles", err)
			return ctx.Err()
		}
		s.checkDictionaries(ctx, tx, &r)
		if err := s.checkProfiles(ctx, tx, &r, all, progress); err != nil {
			r.Add("the table of profiles", err)
		}
		return ctx.Err()
	})
	if err == nil {
		err = s.checkRecordings(ctx, &r)
	}
	return r, err
}

func (s *Store) checkDictionaries(ctx context.Context, tx *sql.Tx, r *store.CheckReport) {
	ids, err := column[int64](ctx, tx, "SELECT id FROM dictionary")
	if err != nil {
		r.Add("the table of dictionaries", err)
	}
	for _, id := range ids {
		if _, err := s.table(ctx, tx, id); err != nil {
			r.Add("the symbols of "+owner(ctx, tx, id), err)
		}
		r.Dictionaries++
	}
}

// owner returns the service that a dictionary belongs to.
func owner(ctx context.Context, tx *sql.Tx, id int64) string {
	var tenant, service string
	if err := tx.QueryRowContext(ctx, "SELECT tenant, service FROM dictionary WHERE id=?", id).
		Scan(&tenant, &service); err != nil {
		return fmt.Sprintf("dictionary %d", id)
	}
	return store.OfService(tenant, service)
}

// checkProfiles reads profiles by dictionary, so that each dictionary is read once.
func (s *Store) checkProfiles(
	ctx context.Context, tx *sql.Tx, r *store.CheckReport, all int, progress func(done, all int),
) error {
	rows, err := tx.QueryContext(ctx, `SELECT p.hash, p.start, p.duration, p.samples, p.head, p.dictionary, p.data,
		s.tenant, s.service, s.kind, s.labels FROM profile p LEFT JOIN series s ON s.id=p.series ORDER BY p.dictionary, p.id`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err is what counts
	for rows.Next() {
		var x row
		var hash, labels []byte
		var samples int
		var tenant, service, kind sql.NullString
		err := rows.Scan(&hash, &x.start, &x.duration, &samples, &x.head, &x.dictionary, &x.data, &tenant, &service, &kind,
			&labels)
		if err != nil {
			return err
		}
		where := fmt.Sprintf("profile %x of %s at %s", hash, store.OfService(tenant.String, service.String),
			timeOf(x.start).Format(time.RFC3339))
		if !service.Valid {
			r.Add(where, errors.New("its series is missing"))
			continue
		}
		p := store.Profile{
			Service: service.String, Kind: kind.String, Start: timeOf(x.start), Duration: time.Duration(x.duration),
		}
		if err := s.checkProfile(ctx, tx, &p, &x, hash, labels, samples); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			r.Add(where, err)
		}
		if r.Profiles++; progress != nil && r.Profiles%100 == 0 {
			progress(r.Profiles, all)
		}
	}
	return rows.Err()
}

func (s *Store) checkProfile(
	ctx context.Context, tx *sql.Tx, p *store.Profile, x *row, hash, labels []byte, samples int,
) error {
	var err error
	if p.Labels, err = readLabels(labels); err != nil {
		return err
	}
	if p.Data, err = s.profile(ctx, tx, x); err != nil {
		return err
	}
	if p.Data.NumSamples() != samples {
		return fmt.Errorf("it has %d samples (want %d)", p.Data.NumSamples(), samples)
	}
	if id := store.NewID(p); string(id[:]) != string(hash) {
		return errors.New("its content is not what was stored")
	}
	return nil
}
