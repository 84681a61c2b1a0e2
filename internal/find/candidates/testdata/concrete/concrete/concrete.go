package concrete

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"test/values"
)

type source interface {
	next() (string, error)
	len() int
	close()
}

type list struct {
	all    []string
	closed int
}

func (l *list) next() (string, error) {
	if len(l.all) == 0 {
		return "", errors.New("no more")
	}
	s := l.all[0]
	l.all = l.all[1:]
	return s, nil
}

func (l *list) len() int { return len(l.all) }
func (l *list) close()   { l.closed++ }

func Read(s source) (all []string, err error) {
	text := ""
	for {
		text, err = s.next() // want `Call the method of \*list directly`
		if err != nil {
			return all, err
		}
		n := s.len() // want `Call the method of \*list directly`
		s.close()    // want `Call the method of \*list directly`
		all = append(all, fmt.Sprint(text, n))
	}
}

func size(s source) int {
	return s.len() // want `Call the method of \*list directly`
}

type shape interface{ area() int }

type square int

type double int

func (s square) area() int { return int(s * s) }
func (d double) area() int { return int(2 * d) }

// Two types have the method, the interface is of another package, or the call is a part of the statement.
func Others(s shape, err error, l source) string {
	n := s.area() + l.len()
	text := err.Error()
	return fmt.Sprint(n, text)
}

func Try(r *rand.Rand) string {
	l := &list{all: values.Strings(r)}
	n := size(l)
	all, err := Read(l)
	return fmt.Sprint(n, all, err, l.closed, Others(square(3), err, l), Others(double(3), err, l))
}
