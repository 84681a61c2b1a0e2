package slow

import (
	"io"
	"log"
)

// NewLog returns a logger that writes each line to w with a separate write. After the last call of
// the logger, closeLog returns the error of the remaining lines, if any: here all lines are already
// written.
func NewLog(w io.Writer) (l *log.Logger, closeLog func() error) {
	return log.New(w, "", log.LstdFlags), func() error { return nil }
}
