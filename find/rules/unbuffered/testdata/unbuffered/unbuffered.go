package unbuffered

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
)

func lines(name string, texts []string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for i, text := range texts {
		if _, err := fmt.Fprintf(f, "%d %s\n", i, text); err != nil { // want `writes to f with a separate system call`
			return err
		}
		f.WriteString("\n") // want `writes to f with a separate system call`
	}
	return nil
}

type peer struct{ conn net.Conn }

func (p *peer) send(texts []string) {
	for _, text := range texts {
		_, _ = io.WriteString((p.conn), text) // want `writes to \(p.conn\) with a separate system call`
	}
}

func numbers(f *os.File) (sum int32, err error) {
	for {
		var n int32
		if err := binary.Read(f, binary.LittleEndian, &n); err != nil { // want `reads a little from f`
			return sum, err
		}
		sum += n
	}
}
