package deferred

import (
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"test/values"
)

type server struct{ log *log.Logger }

// serve logs into a file that is closed in the end.
func serve(name string, texts []string) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	// The log has no times.
	s := &server{log: log.New(f, "", 0)}
	for _, text := range texts {
		s.log.Println(text) // want `each line is written separately`
	}
	return nil
}

type keeper struct {
	l     *log.Logger
	close func() error
}

// newKeeper has a file of its own.
func newKeeper(name string) (*keeper, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	l := log.New(f, "kept ", log.Lmsgprefix)
	return &keeper{l, nil}, nil
}

// open is closed with its file, unless that is kept.
func open(f *os.File, keep bool) (*log.Logger, func() error, error) {
	if f == nil {
		return nil, nil, errors.New("no file")
	}
	l := log.New(f, "", 0)
	return l, func() error {
		if keep {
			return nil
		}
		return f.Close()
	}, nil
}

// silent's done does not report an error.
func silent(f *os.File) (l *log.Logger, done func()) {
	l = log.New(f, "", 0)
	return l, func() {
		_ = f.Close()
	}
}

func use(f *os.File, text string) error {
	opened, done, err := open(f, false)
	if err != nil {
		return err
	}
	opened.Print(text) // want `each line is written separately`
	return done()
}

var global *log.Logger

func openGlobal(w io.Writer) (closeLog func() error) {
	global = log.New(w, "", 0)
	return func() error { return nil }
}

func useGlobal(text string) {
	global.Print(text) // want `each line is written separately`
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
	err = serve(name, values.Strings(r))
	data, err2 := os.ReadFile(name)
	f, err3 := os.Create(name)
	if err3 != nil {
		return err3.Error()
	}
	err3 = use(f, values.String(r))
	more, _ := os.ReadFile(name)
	return fmt.Sprint(err, string(data), err2, err3, string(more), use(nil, ""))
}
