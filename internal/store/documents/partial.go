package documents

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/store"
)

// PartialKind is the kind of the warning that an answer lacks what is on shards that are down.
const PartialKind = "partial_answer"

// Partial is the part of a document that says what its answer lacks.
type Partial struct {
	// MissingShards are the shards of a cluster that did not answer: "shard 2 (10.0.0.2:9000)". A
	// warning of the kind PartialKind says so, too. Without any, the answer is complete.
	MissingShards []string `json:"missing_shards,omitempty"`
}

// PartialWarning returns the warning of an answer that lacks shards.
func PartialWarning(e *store.PartialError) diag.Warning {
	return diag.Warning{
		Kind: PartialKind, Text: e.Error(), Hint: "the services on it are missing; start it and query again",
	}
}

// PartialHeader is in HTTP answers that lack shards, of any format: a PartialError as JSON that
// strconv.QuoteToASCII has quoted.
const PartialHeader = "Whet-Missing-Shards"

// SetPartial sets the PartialHeader.
func SetPartial(h http.Header, e *store.PartialError) {
	data, err := json.Marshal(missing{e.Cluster, e.Missing})
	if err != nil {
		data = []byte("{}") // texts are always encoded
	}
	h.Set(PartialHeader, strconv.QuoteToASCII(string(data)))
}

// missing is a store.PartialError in JSON.
type missing struct {
	Cluster string   `json:"cluster"`
	Missing []string `json:"missing_shards"`
}

// PartialOf returns what SetPartial wrote; nil if an answer is complete. A header that cannot be read
// is one of an unnamed shard.
func PartialOf(h http.Header) *store.PartialError {
	text := h.Get(PartialHeader)
	if text == "" {
		return nil
	}
	var m missing
	plain, err := strconv.Unquote(text)
	if err == nil {
		err = json.Unmarshal([]byte(plain), &m)
	}
	if err != nil || len(m.Missing) == 0 {
		m.Missing = []string{"a shard"}
	}
	return &store.PartialError{Cluster: m.Cluster, Missing: m.Missing}
}
