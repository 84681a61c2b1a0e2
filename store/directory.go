package store

import (
	"errors"
	"strings"

	"github.com/whet-go/whet/internal/diag"
)

// CheckDirectory returns an error for addresses, which would become directories.
func CheckDirectory(dir string) error {
	scheme, _, ok := strings.Cut(dir, "://")
	if !ok {
		return nil
	}
	// The rest may have a password.
	return &diag.Error{
		Op: "open store", Subject: scheme + "://…", Err: errors.New("this is an address, not a directory"),
		Hint: "name the directory of the store", Kind: diag.Usage,
	}
}
