package fleet

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/whet-go/whet/examples/slowsql"
)

type Vehicle struct {
	Plate  string `db:"plate"`
	Driver int64  `db:"driver"`
}

type Driver struct {
	ID   int64  `db:"id"`
	Name string `db:"name"`
}

// Vehicles is the store of vehicles and drivers.
type Vehicles interface {
	OfCompany(ctx context.Context, company string) ([]Vehicle, error)
	Driver(ctx context.Context, id int64) (Driver, error)
}

type sqlVehicles struct{ *sqlx.DB }

func openVehicles() Vehicles {
	vehicles := &slowsql.Table{Columns: []string{"plate", "driver", "company"}}
	drivers := &slowsql.Table{Columns: []string{"id", "name"}}
	for i := range int64(400) {
		vehicles.Rows = append(vehicles.Rows, []driver.Value{fmt.Sprintf("F %03d", i), i, fmt.Sprintf("k%d", i%40)})
		drivers.Rows = append(drivers.Rows, []driver.Value{i, fmt.Sprintf("driver %d", i)})
	}
	db := slowsql.Open(slowsql.Tables{"vehicles": vehicles, "drivers": drivers}, 400*time.Microsecond)
	db.SetMaxIdleConns(32)
	return sqlVehicles{sqlx.NewDb(db, "slowsql")}
}

func (s sqlVehicles) OfCompany(ctx context.Context, company string) (list []Vehicle, err error) {
	err = s.SelectContext(ctx, &list, "SELECT plate, driver FROM vehicles WHERE company = ?", company)
	return list, err
}

func (s sqlVehicles) Driver(ctx context.Context, id int64) (d Driver, err error) {
	err = s.GetContext(ctx, &d, "SELECT id, name FROM drivers WHERE id = ?", id)
	return d, err
}
