package lost

import (
	"io"
	"log"
)

// open could be closed, were it not for fail.
func open(w io.Writer) (l *log.Logger, closeLog func() error) {
	return log.New(w, "", 0), func() error { return nil }
}

func line(l *log.Logger, text string) {
	l.Print(text) // want `each line is written separately`
}

func fail(l *log.Logger, err error) {
	if err != nil {
		l.Fatal(err)
	}
}
