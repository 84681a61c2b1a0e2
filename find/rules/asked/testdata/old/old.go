package old

import (
	"os"
	"time"
)

// Without type parameters there is neither sync.OnceValue nor atomic.Pointer.
func tags() map[string]string {
	tags := map[string]string{"mode": os.Getenv("MODE")} // want `takes a lock`
	host, err := os.Hostname()                           // want `system call`
	if err == nil {
		tags["host"] = host
	}
	return tags
}

func zone() *time.Location {
	loc, err := time.LoadLocation("Europe/Paris") // want `opens, reads and parses`
	if err != nil {
		return time.UTC
	}
	return loc
}

func now() time.Time { return time.Now() }
