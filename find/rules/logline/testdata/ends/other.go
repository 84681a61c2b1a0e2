package main

import (
	"log"
	"os"
)

func stop(code int) {
	if code > 9 {
		log.Fatalf("code %d", code)
	}
	os.Exit(code)
}
