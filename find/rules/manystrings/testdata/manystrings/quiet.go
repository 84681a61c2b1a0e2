package manystrings

import (
	"encoding/hex"
	"strconv"
)

// once is called once.
func once(n int) string {
	var room [24]byte
	return string(strconv.AppendInt(room[:0], int64(n), 10))
}

func Once(list []string) []string { return append(list, once(1)) }

// early has two ends.
func early(n int) string {
	var room [24]byte
	if n == 0 {
		return ""
	}
	return string(strconv.AppendInt(room[:0], int64(n), 10))
}

// long may be long.
func long(b []byte) string { return string(hex.AppendEncode(nil, b)) }

// used looks at its array.
func used(n int) string {
	var room [24]byte
	room[1] = 'x'
	return string(strconv.AppendInt(room[:0], int64(n), 10))
}

type methods struct{}

func (methods) text(n int) string {
	var room [24]byte
	return string(strconv.AppendInt(room[:0], int64(n), 10))
}

var global []string

func Quiet(ints []int, b []byte) (list []string, m map[int]string) {
	m = map[int]string{}
	for _, n := range ints {
		list = append(list, early(n))
		list = append(list, long(b))
		list = append(list, used(n))
		list = append(list, methods{}.text(n))
		global = append(global, once(n)) // which others see
		m[n] = once(n)
		list = append(list, once(next()))
	}
	return list, m
}

// runes are no bytes.
func runes(r rune) string {
	var room [4]rune
	return string(append(room[:0], r, r))
}

func Runes(text string) (list []string) {
	for _, r := range text {
		list = append(list, runes(r))
	}
	return list
}

func digits(n int) string {
	var room [24]byte
	return string(strconv.AppendInt(room[:0], int64(n), 2))
}

// Jumps must not jump over new variables.
func Jumps(ints []int) (list []string) {
	for _, n := range ints {
		if n == 0 {
			goto end
		}
		list = append(list, digits(n))
	}
end:
	return list
}

func next() int {
	global = nil
	return 1
}
