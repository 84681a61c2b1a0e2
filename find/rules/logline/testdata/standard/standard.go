package standard

import (
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"test/values"
)

func run(name string, texts []string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	log.SetOutput(f) // from here on
	log.SetFlags(0)
	for i, text := range texts {
		if i >= 0 {
			log.Print(text) // want `each line is written separately`
		}
	}
	return nil
}

func Try(r *rand.Rand) string {
	if n := r.IntN(64); n > 0 {
		return fmt.Sprint(n) // files take time
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err.Error()
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "log")
	err = run(name, values.Strings(r))
	log.Print("not seen any more") // want `each line is written separately`
	data, _ := os.ReadFile(name)
	return fmt.Sprint(err, string(data))
}
