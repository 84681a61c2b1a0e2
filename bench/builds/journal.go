package builds

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// JournalFile returns the file in the user's cache that keeps the rounds of one comparison: a file for each pair of
// builds and whatever else identifies the comparison. It returns "" if there is no cache.
func JournalFile(sides [2]Side, more ...any) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	for i := range sides {
		if sides[i].Dir, err = filepath.Abs(sides[i].Dir); err != nil {
			return ""
		}
	}
	data, err := json.Marshal(append(more, sides))
	if err != nil {
		return ""
	}
	digest := sha256.Sum256(data)
	return filepath.Join(cache, "whet", "bench", hex.EncodeToString(digest[:8])+".jsonl")
}
