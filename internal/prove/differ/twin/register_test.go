package twin

import "testing"

// TestDelaying leaves calls of other packages in functions init for later, without moving a line.
func TestDelaying(t *testing.T) {
	const text = `package p

import sqlpkg "database/sql"

func init() {
	if name != "" {
		sqlpkg.Register(name, nil)
	}
	own()
	f := func() { sqlpkg.Register("", nil) }
	f()
}

func other() { sqlpkg.Register("", nil) }
`
	const want = `package p

import sqlpkg "database/sql"

func init() {
	if name != "" {
		whetLater = append(whetLater, func() { sqlpkg.Register(name, nil) })
	}
	own()
	f := func() { sqlpkg.Register("", nil) }
	f()
}

func other() { sqlpkg.Register("", nil) }
`
	got, err := delaying("p.go", []byte(text))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
