package twin

import "testing"

// TestRestore undoes what a copy rewrites, without moving a line.
func TestRestore(t *testing.T) {
	const text = `package main // begins

import (
	"fmt"
	other "example.com/m/other"
)

func main() { fmt.Println(other.X, "example.com/m/other") }
`
	c := New(nil, nil)
	c.Paths["example.com/m/other"] = true
	copied, err := c.rewritten("main.go", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := `package whetmain // begins

import (
	"fmt"
	other "example.com/m/other/whettwin"
)

func main() { fmt.Println(other.X, "example.com/m/other") }
`
	if string(copied) != want {
		t.Errorf("copied\n%s", copied)
	}
	restored, err := Restore("main.go", copied, "main")
	if err != nil || string(restored) != text {
		t.Errorf("restored %v\n%s", err, restored)
	}
}
