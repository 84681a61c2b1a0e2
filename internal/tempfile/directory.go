package tempfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// directories is how many directories of a key have names that do not change.
const directories = 8

// Directory makes a directory in parent, or in the system's directory for temporary files if that is "". Its name
// begins with prefix, depends on key, and is the same each time unless others with this key exist: the go
// command's build cache finds a package again only in a directory of the same name.
func Directory(parent, prefix, key string) (string, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sum := sha256.Sum256([]byte(key))
	base := filepath.Join(parent, prefix+hex.EncodeToString(sum[:6])+"-")
	for i := range directories {
		name := base + strconv.Itoa(i)
		if err := os.Mkdir(name, 0o700); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return os.MkdirTemp(parent, filepath.Base(base))
}
