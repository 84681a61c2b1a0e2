package lost

import (
	"io"
	"log"
	"os"
)

// dropped has nothing to write to.
func dropped() *log.Logger { return log.New(io.Discard, "", 0) }

// scratch has a file, and no lines.
func scratch() error {
	f, err := os.CreateTemp("", "")
	if err != nil {
		return err
	}
	defer f.Close()
	l := log.New(f, "", 0)
	l.SetPrefix("x")
	return nil
}
