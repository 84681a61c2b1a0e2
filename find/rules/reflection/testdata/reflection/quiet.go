package reflection

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

func Typed(a, b []int, c, d []byte) bool { return slices.Equal(a, b) && bytes.Equal(c, d) }

func Short(w io.Writer, n uint32, s []int16) error {
	if err := binary.Write(w, binary.BigEndian, n); err != nil {
		return err
	}
	return binary.Write(w, binary.BigEndian, s)
}

func Several(s string) (a, b int, err error) {
	_, err = fmt.Sscanf(s, "%d:%d", &a, &b)
	return a, b, err
}

func Word(s string) (w string, err error) {
	_, err = fmt.Sscan(s, &w)
	return w, err
}
