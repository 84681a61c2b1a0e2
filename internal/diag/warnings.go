package diag

import (
	"encoding/json"
	"errors"
)

// Warnings are what a reader of a result must know, and no reason to fail. In JSON they are a list
// of texts, each with its [Hint] behind it in parentheses.
type Warnings []error

// WarningTexts returns warnings without hints.
func WarningTexts(texts []string) Warnings {
	var ws Warnings
	for _, text := range texts {
		ws = append(ws, errors.New(text))
	}
	return ws
}

// MarshalJSON implements [json.Marshaler].
func (ws Warnings) MarshalJSON() ([]byte, error) {
	texts := make([]string, len(ws))
	for i, w := range ws {
		texts[i] = w.Error()
		if hint := Hint(w); hint != "" {
			texts[i] += " (" + hint + ")"
		}
	}
	return json.Marshal(texts)
}

// UnmarshalJSON implements [json.Unmarshaler]. Hints stay a part of the texts.
func (ws *Warnings) UnmarshalJSON(data []byte) error {
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		return err
	}
	*ws = WarningTexts(texts)
	return nil
}
