// Command hash answers a list of pairs of texts with their hashes.
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io/ioutil"
	"net/http"

	_ "net/http/pprof"
)

func main() {
	http.HandleFunc("/hashes", hashAll)
	http.ListenAndServe("localhost:28081", nil)
}

type Pair struct {
	A string `json:"str_a"`
	B string `json:"str_b"`
}

type Question []Pair

type Answer struct {
	Hashes []string `json:"hashes"`
}

func hashAll(w http.ResponseWriter, req *http.Request) {
	body, err := ioutil.ReadAll(req.Body)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var question Question
	if err := json.Unmarshal(body, &question); err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var hashes []string
	for _, pair := range question {
		digest := sha256.New()
		digest.Write([]byte(pair.A))
		digest.Write([]byte(pair.B))
		hashes = append(hashes, base64.StdEncoding.EncodeToString(digest.Sum(nil)))
	}
	answer := Answer{Hashes: hashes}

	body, err = json.Marshal(answer)
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Write(body)
}
