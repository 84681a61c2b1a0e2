package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	native "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/whet-go/whet/internal/store/address"
)

// AllTries is the code of the error that connecting to all replicas of a shard failed.
const AllTries = 279

// Code returns the code of an error of the server, 0 if it is none.
func Code(err error) int32 {
	if e := (*native.Exception)(nil); errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// Broken reports whether an error is one of a connection.
func Broken(err error) bool {
	var e net.Error
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &e)
}

// Temporary reports whether what failed may succeed soon.
func Temporary(err error) bool {
	switch Code(err) {
	case 0:
		return Broken(err)
	case 159, 202, 209, 210, 225, 242, 252, 285, 319, 999, AllTries:
		// A timeout, too many queries or parts, the network, Keeper, too few replicas, an unknown state.
		return true
	}
	return false
}

// Connect prepares connections to a database; "" is the default one of the server.
func Connect(a *address.Address, database string) (driver.Conn, error) {
	return native.Open(&native.Options{
		Protocol: native.Native, Addr: a.Hosts, TLS: a.TLS,
		Auth:             native.Auth{Database: database, Username: a.User, Password: a.Password()},
		Compression:      &native.Compression{Method: native.CompressionLZ4},
		DialTimeout:      10 * time.Second,
		ReadTimeout:      5 * time.Minute,
		MaxOpenConns:     8,
		MaxIdleConns:     4,
		ConnOpenStrategy: native.ConnOpenInOrder,
	})
}

// Query runs a query and calls scan for each row. A connection that the server has closed is replaced.
func Query(
	ctx context.Context, conn driver.Conn, text string, with native.Settings, scan func(driver.Rows) error,
) error {
	rows := 0
	again := func() error {
		r, err := conn.Query(native.Context(ctx, native.WithSettings(with)), text)
		if err != nil {
			return err
		}
		for r.Next() {
			rows++
			if err := scan(r); err != nil {
				return errors.Join(err, r.Close())
			}
		}
		if err := r.Err(); err != nil {
			_ = r.Close() // err is what counts
			return err
		}
		return r.Close()
	}
	err := again()
	if err != nil && rows == 0 && Broken(err) && ctx.Err() == nil {
		err = again()
	}
	return err
}
