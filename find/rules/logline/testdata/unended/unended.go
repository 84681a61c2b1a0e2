package main

import (
	"fmt"
	"log"
	"os"
)

// The file is also written to directly: its lines would change places.
func main() {
	f, err := os.Create(os.DevNull)
	if err != nil {
		log.Fatal(err)
	}
	log.SetOutput(f)
	for i := range 10 {
		log.Print(i) // want `each line is written separately`
		fmt.Fprintln(f, i)
	}
	defer log.Fatal("not a statement of its own")
}
