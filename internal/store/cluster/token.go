package cluster

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"github.com/whet-go/whet/internal/store/packed"
	"github.com/whet-go/whet/internal/store/symbols"
)

// A Token identifies the content of an insert, so that the server stores it once.
type Token struct{ content []byte }

// NewToken returns the token of an insert into a table, without content.
func NewToken(table string) *Token { return &Token{content: packed.AppendText(nil, table)} }

// Text adds a text.
func (t *Token) Text(s string) { t.content = packed.AppendText(t.content, s) }

// Add adds a row of symbols.
func (t *Token) Add(k symbols.Scope, id uint64, seen uint32) {
	t.Text(k.Tenant)
	t.Text(k.Service)
	t.content = binary.LittleEndian.AppendUint64(t.content, id)
	t.content = binary.LittleEndian.AppendUint32(t.content, seen)
}

// String returns the token for the server.
func (t *Token) String() string {
	sum := sha256.Sum256(t.content)
	return hex.EncodeToString(sum[:16])
}
