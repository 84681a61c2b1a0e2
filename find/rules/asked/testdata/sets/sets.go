package sets

import "os"

func mode() string {
	return os.Getenv("MODE") // want `takes a lock`
}

func set() error { return os.Setenv("MODE", "x") }
