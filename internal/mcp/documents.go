package mcp

import (
	"encoding/json"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of the documents that a session keeps.
const (
	maxDocuments     = 100
	maxDocumentBytes = 64 << 20 // of all together
)

const documentScheme = "whet://documents/"

// A document is the whole result of a tool.
type document struct {
	uri  string
	text []byte // JSON
}

// keep stores a document of the session, and returns its URI. The oldest ones are dropped when there are too many.
func (s *session) keep(kind string, value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	d := document{uri: fmt.Sprintf("%s%s-%d", documentScheme, kind, s.made), text: text}
	s.documents = append(s.documents, d)
	s.documentBytes += len(text)
	for len(s.documents) > 1 && (len(s.documents) > maxDocuments || s.documentBytes > maxDocumentBytes) {
		s.documentBytes -= len(s.documents[0].text)
		s.documents = s.documents[1:]
	}
	return d.uri, nil
}

// document returns a document of the session.
func (s *session) document(uri string) (*sdk.ReadResourceResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.documents {
		if d.uri == uri {
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{
				{URI: uri, MIMEType: "application/json", Text: string(d.text)},
			}}, nil
		}
	}
	return nil, sdk.ResourceNotFoundError(uri)
}

// whole describes where the whole document is.
func whole(uri string) string { return "the whole result is the resource " + uri }
