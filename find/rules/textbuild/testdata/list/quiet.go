package list

import "strings"

func Counted(words []string) string {
	var list []string
	for _, w := range words {
		if len(list) < 3 {
			list = append(list, w)
		}
	}
	return strings.Join(list, ",")
}

func Kept(words []string) (string, []string) {
	var list []string
	for _, w := range words {
		list = append(list, w)
	}
	return strings.Join(list, ","), list
}

func Spread(words []string) string {
	list := []string{"a"}
	list = append(list, words...)
	return strings.Join(list, ",")
}

// Between joins by what is not constant.
func Between(words []string, sep string) string {
	var list []string
	for _, w := range words {
		list = append(list, w)
	}
	return strings.Join(list, sep)
}

type names []string

func Named(words []string) string {
	var list names
	for _, w := range words {
		list = append(list, w)
	}
	return strings.Join(list, ",")
}

func Closed(words []string) string {
	var list []string
	add := func(w string) { list = append(list, w) }
	for _, w := range words {
		add(w)
	}
	list = append(list, "end")
	return strings.Join(list, ",")
}

// Sized makes room for what may be negative.
func Sized(words []string, n int) string {
	list := make([]string, 0, n)
	for _, w := range words {
		list = append(list, w)
	}
	return strings.Join(list, ",")
}

// Once is joined before it has all.
func Once(words []string) (all string) {
	var list []string
	for _, w := range words {
		list = append(list, w)
		all += strings.Join(list, ",")
	}
	return all
}

// Twice goes on after it was joined.
func Twice(words []string) string {
	list := []string{"a"}
	some := strings.Join(list, ",")
	for _, w := range words {
		list = append(list, w)
	}
	return some + strings.Join(list, ",")
}

// Literal grows no more.
func Literal(a, b string) string {
	list := []string{a, b}
	return strings.Join(list, ",")
}

func Indexed(a string) string {
	list := []string{3: a}
	list = append(list, a)
	return strings.Join(list, ",")
}

// First and Deep panic where room is made.
func First(words []string) string {
	list := make([]string, 0, len(words[0][1:]))
	for _, w := range words {
		list = append(list, w)
	}
	return strings.Join(list, ",")
}

type deep struct {
	words  []string
	holder *holder
}

type holder struct{ words []string }

func Deep(d *deep, n int) string {
	list := make([]string, 0, 1+len(d.words))
	list = append(list, "a")
	return strings.Join(list, ",")
}

func Deeper(d deep) string {
	list := make([]string, 0, len(d.holder.words))
	list = append(list, "a")
	return strings.Join(list, ",")
}
