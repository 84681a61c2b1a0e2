package parts

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
)

// Size is that of all parts but the last, in bytes.
const Size = 1 << 20

// ErrDamaged is in errors about recordings that are not what was stored.
var ErrDamaged = errors.New("the recording is damaged")

// Copy writes a file of a size and SHA-256 to w. part returns the parts in order, counted from 0; nil, if
// one is missing. When Copy returns nil, w has exactly what was stored.
func Copy(w io.Writer, size int64, sum []byte, part func(n int) ([]byte, error)) error {
	hash := sha256.New()
	for left, n := size, 0; left > 0; n++ {
		data, err := part(n)
		switch {
		case err != nil:
			return err
		case len(data) == 0:
			return fmt.Errorf("%w: part %d is missing", ErrDamaged, n+1)
		case int64(len(data)) > left:
			return fmt.Errorf("%w: part %d has %d bytes (want at most %d)", ErrDamaged, n+1, len(data), left)
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
		_, _ = hash.Write(data) // never fails
		left -= int64(len(data))
	}
	if string(hash.Sum(nil)) != string(sum) {
		return fmt.Errorf("%w: its content is not what was stored", ErrDamaged)
	}
	return nil
}
