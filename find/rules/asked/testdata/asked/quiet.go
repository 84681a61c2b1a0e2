package asked

import (
	"os"
	"sync"
	"sync/atomic"
	"time"
)

var host, _ = os.Hostname()

var mode = sync.OnceValue(func() string { return os.Getenv("MODE") })

var once sync.Once

var path string

func program() string {
	once.Do(func() { path, _ = os.Executable() })
	return path
}

var kept atomic.Pointer[time.Location]

func paris() *time.Location {
	if loc := kept.Load(); loc != nil {
		return loc
	}
	loc, err := time.LoadLocation("Europe/Paris")
	if err == nil {
		kept.Store(loc)
	}
	return loc
}

func given(zone, variable string) (string, *time.Location) {
	loc, err := time.LoadLocation(zone)
	if err != nil {
		loc, _ = time.LoadLocation("UTC")
	}
	return os.Getenv(variable), loc
}

type system struct{}

func (system) Hostname() (string, error) { return "", nil }

func other() string {
	os := system{}
	name, _ := os.Hostname()
	return name
}

func init() {
	_ = os.Getpid()
}
