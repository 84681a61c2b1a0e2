package asked

import (
	"fmt"
	"math/rand/v2"
	"net"
	stdos "os"
	"runtime/debug"
	"time"

	"test/values"
)

// Tags is documented: what is declared goes before this.
func Tags(path string) map[string]string {
	tags := map[string]string{"path": path}
	if host, err := stdos.Hostname(); err == nil { // want `system call`
		tags["host"] = host
	}
	return tags
}

type machine struct{ prefix string }

func (m *machine) name() (string, error) {
	return (stdos.Hostname)() // want `system call`
}

func (m machine) line() string {
	stdos := m.prefix
	return fmt.Sprint(stdos, time.Unix(0, 0).In(zone()))
}

func zone() *time.Location {
	loc, err := time.LoadLocation("Europe/Paris") // want `opens, reads and parses`
	if err != nil {
		return time.UTC
	}
	return loc
}

func noZone() error {
	_, err := time.LoadLocation("Nowhere/At All") // want `opens, reads and parses`
	return err
}

func Process[T any](t T) string {
	return func() string { return fmt.Sprint(t, stdos.Getpid() == stdos.Getpid()) }() // want `number that never changes` `number that never changes`
}

const variable = "WHET_TEST-é"

func Mode() string {
	if mode := stdos.Getenv(variable); mode != "" { // want `takes a lock`
		return mode
	}
	return stdos.Getenv("PATH") // want `takes a lock`
}

func Self() (string, error) { return stdos.Executable() } // want `symbolic link`

func Addresses() int {
	addrs, _ := net.InterfaceAddrs() // want `whole table of addresses`
	ifaces, _ := net.Interfaces()    // want `whole table of interfaces`
	return len(addrs) + len(ifaces)
}

func Version() bool {
	_, ok := debug.ReadBuildInfo() // want `parses the text`
	return ok
}

func Try(r *rand.Rand) string {
	m := &machine{values.String(r)}
	name, err := m.name()
	return fmt.Sprint(Tags(values.String(r)), name, err, m.line(), noZone(), Process(values.Int(r)), Mode(), Version())
}
