// Package plain writes lines of another protocol.
package plain

import "io"

type Client struct{ conn io.Writer }

func New(conn io.Writer) *Client { return &Client{conn} }

func (c *Client) Count(name string) { _, _ = c.conn.Write([]byte(name + ":1||c")) }
