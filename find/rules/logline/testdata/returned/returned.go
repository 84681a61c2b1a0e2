package returned

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"test/values"
)

var errKept = errors.New("kept")

// open is closed with its file, unless that is kept.
func open(f *os.File, keep bool) (*log.Logger, func() error, error) {
	if f == nil {
		return nil, nil, errors.New("no file")
	}
	l := log.New(f, "", 0)
	return l, func() error {
		if keep {
			return errKept
		}
		check := func() error { return nil }
		if err := check(); err != nil {
			return nil
		}
		return f.Close()
	}, nil
}

func use(f *os.File, keep bool, text string) error {
	opened, done, err := open(f, keep)
	if err != nil {
		return err
	}
	opened.Print(text) // want `each line is written separately`
	return done()
}

func Try(r *rand.Rand) string {
	if n := r.IntN(64); n > 0 {
		return fmt.Sprint(n) // files take time
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "log")
	f, err := os.Create(name)
	if err != nil {
		return err.Error()
	}
	err = use(f, values.Bool(r), values.String(r))
	data, _ := os.ReadFile(name)
	return fmt.Sprint(err == errKept, err, string(data), use(nil, false, ""))
}
