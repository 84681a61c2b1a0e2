// Package model has the questions and answers of the service.
package model

//easyjson:json
type Pair struct {
	A string `json:"str_a"`
	B string `json:"str_b"`
}

//easyjson:json
type Question []Pair

//easyjson:json
type Answer struct {
	Hashes []string `json:"hashes"`
}
