package logline

import (
	"fmt"
	"log"
	"log/slog"
	"os"
)

type printer struct{}

func (printer) Printf(string, ...any) {}

func other(name string) {
	log := printer{}
	log.Printf("%s", name)
}

func open(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		log.Printf("open %s: %v", name, err)
		return nil, err
	}
	return f, nil
}

func quiet(name string, err error) {
	slog.Debug("name", "name", name)
	slog.Info("name", "name", fmt.Sprint(name))
	log.Fatalf("%s: %v", name, err)
}

func main() { log.Printf("%s", os.Args[0]) }
