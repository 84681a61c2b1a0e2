package mutants

import (
	"strconv"
	"strings"
)

// A writer writes a file with its mutants.
type writer struct {
	src  []byte
	out  strings.Builder
	last int // number of the last mutant
}

// write returns the file with the mutants that are not dropped, and records their places in it. The
// numbers of the mutants follow last.
func (s *source) write(last int) (text []byte, lastWritten int) {
	w := &writer{src: s.text, last: last}
	var sites []*site
	for _, at := range s.sites {
		if len(at.kept()) > 0 {
			sites = append(sites, at)
		}
	}
	w.between(0, len(s.text), sites)
	return []byte(w.out.String()), w.last
}

// between writes a part of the file with the sites in it.
func (w *writer) between(from, to int, sites []*site) {
	for len(sites) > 0 {
		at := sites[0]
		n := 1
		for n < len(sites) && sites[n].from < at.to {
			n++
		}
		w.out.Write(w.src[from:at.from])
		w.site(at, sites[1:n])
		from, sites = at.to, sites[n:]
	}
	w.out.Write(w.src[from:to])
}

// site writes a site with those in it.
func (w *writer) site(at *site, inner []*site) {
	at.start = w.out.Len()
	kept := at.kept()
	switch at.kind {
	case expression:
		w.out.WriteString("(func() " + at.result + " { ")
		for _, c := range kept {
			w.out.WriteString("if " + w.condition() + " { return ")
			w.choice(c)
			w.out.WriteString(" }; ")
		}
		w.out.WriteString("return ")
		w.between(at.from, at.to, inner)
		w.out.WriteString(" }())")
	case statement:
		for _, c := range kept {
			w.out.WriteString("if " + w.condition() + " { ")
			w.choice(c)
			w.out.WriteString(" } else ")
		}
		w.out.WriteString("{ ")
		w.between(at.from, at.to, inner)
		w.out.WriteString(" }")
	case elseBranch:
		w.out.WriteString("{ if !" + w.condition() + " { ")
		w.between(at.from, at.to, inner)
		w.out.WriteString(" } }")
	}
	at.end = w.out.Len()
}

func (w *writer) choice(c *choice) {
	c.start = w.out.Len()
	w.out.WriteString(c.with)
	c.end = w.out.Len()
}

// condition returns whether the next mutant is active.
func (w *writer) condition() string {
	w.last++
	return "whetMutantIs(" + strconv.Itoa(w.last) + ")"
}
