package main

// A study is one page: an example in two versions, how it is measured, and the claims of its
// article.
type study struct {
	// name is the name of the page, the results and the example's directory.
	name  string
	title string
	// services means that both versions of the example are built before the steps.
	services bool
	steps    []step
	theirs   []quote
	// headline is the study's entry in the index.
	headline []headline
	// published is set for a service as its article published it.
	published *published
}

// page returns the name that a user gives the study.
func (s study) page() string {
	if s.published != nil {
		return s.published.service
	}
	return s.name
}

// example returns the directory of the example, relative to the module's root.
func (s study) example() string {
	if s.published != nil {
		return publishedDir + "/" + s.published.service + "/original"
	}
	return "examples/" + s.name
}

// A step is one run of whet. One of its fields besides the name is set.
//
// In arguments, {addr} is a free address of this machine and {sink} one that accepts UDP packets;
// where whet fills in {addr} itself, for two services, it stays.
type step struct {
	name string

	// bench is a regular expression: the example's matching benchmarks are compared, slow against
	// fast; or, with flags of go build, against the result of the previous step fix, built with
	// them.
	bench string
	flags string
	// other is the directory of the other side of bench, of two that are not one example.
	other string
	// service are arguments of whet bench --service.
	service []string
	// record is the arguments of whet record; the recording is NAME.whet of the step. Inside, whet
	// runs in the example's directory, as benchmarks require.
	record []string
	inside bool
	// show is the arguments of a view, of which head paragraphs are kept; 0 is all.
	show []string
	head int
	// fix is the arguments of whet fix on a recording of the example's benchmarks. It works on a
	// copy of the example, whose service is .bin/EXAMPLE-fixed from then on.
	fix []string
	// ifSettings omits the step unless a previous step fix proved a setting.
	ifSettings bool
}

// A quote is the article's claim about one subject and unit, on its author's machine. Times are in
// seconds.
type quote struct {
	step, subject, unit string
	slow, fast          float64
}

// A headline is a figure with a name.
type headline struct {
	point
	name string
}

// A point is a figure: a unit of a subject of a step. A comparison of services has one
// subject, "".
type point struct{ step, subject, unit string }

// quoted returns the article's claim about p.
func (s study) quoted(p point) (quote, bool) {
	for _, q := range s.theirs {
		if (point{q.step, q.subject, q.unit}) == p {
			return q, true
		}
	}
	return quote{}, false
}
