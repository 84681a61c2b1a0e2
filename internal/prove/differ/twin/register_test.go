package twin

import "testing"

// TestDelaying leaves calls of other packages in functions init for later, without moving a line.
func TestDelaying(t *testing.T) {
	const text = `package p

import (
	"database/sql"
	ev "expvar"
)

var n = ev.NewInt("n")

func init() {
	if name != "" {
		sql.Register(name, nil)
	}
	own()
	f := func() { sql.Register("", nil) }
	f()
}

func other() { sql.Register("", nil) }
`
	const want = `package p

import (
	"database/sql"
	ev "expvar"
)

var n = ev.NewInt("n"+"/whettwin")

func init() {
	if name != "" {
		whetLater = append(whetLater, func() { sql.Register(name, nil) })
	}
	own()
	f := func() { sql.Register("", nil) }
	f()
}

func other() { sql.Register("", nil) }
`
	got, err := delaying("p.go", []byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
