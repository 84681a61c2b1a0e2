package unbuffered

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
)

func buffered(f *os.File, texts []string) error {
	w := bufio.NewWriter(f)
	for _, text := range texts {
		fmt.Fprintln(w, text)
	}
	return w.Flush()
}

func once(f *os.File, text string) {
	fmt.Fprintln(f, text)
}

func files(names []string) {
	for _, name := range names {
		f, err := os.Create(name)
		if err != nil {
			continue
		}
		fmt.Fprintln(f, name)
		f.Close()
	}
}

func blocks(to, from *os.File) {
	b := make([]byte, 1<<16)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		to.Write(b[:n])
	}
}

func talk(conn net.Conn, questions []string) {
	answer := make([]byte, 100)
	for _, q := range questions {
		fmt.Fprintln(conn, q)
		if _, err := conn.Read(answer); err != nil {
			return
		}
	}
}

func prompt(conn net.Conn) {
	for {
		fmt.Fprint(conn, "> ")
		if !ask(conn) {
			return
		}
	}
}

func ask(io.Reader) bool { return false }

func memory(b *strings.Builder, w io.Writer, texts []string) {
	for _, text := range texts {
		fmt.Fprintln(b, text)
		fmt.Fprintln(w, text)
	}
}
