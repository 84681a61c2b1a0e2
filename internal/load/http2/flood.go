package http2

// Frames that do not advance an answer cost the peer nothing but cost us time, and some of them
// require a reply. A peer could keep us busy, or make us buffer more and more that it does not
// read. The limits are far above what servers send. None is a rate, because there is no clock here.
const (
	// maxIdle bounds the useless frames: PING, SETTINGS, WINDOW_UPDATE beyond what was sent,
	// RST_STREAM, GOAWAY, PRIORITY, unknown ones, DATA without content, header blocks of streams
	// that are not open. Go's server and nghttp2 allow as many before they close a connection.
	maxIdle = 10_000
	// creditAnswer is how many of them a complete answer compensates; DATA with content compensates
	// one.
	creditAnswer = 16
	// maxUnread bounds the replies to PING and SETTINGS that wait until the peer reads them.
	// nghttp2 and Envoy have the same limit.
	maxUnread = 1000
	// maxContinuations bounds the CONTINUATION frames of one header block: eight times
	// those that hold 2 MiB.
	maxContinuations = 1024
	// maxUpdates bounds the credit for WINDOW_UPDATE.
	maxUpdates = 1 << 20
)

// flood counts the useless frames from a peer.
type flood struct {
	idle          int
	unread        int // replies to PING and SETTINGS since Drained
	continuations int // of the current header block
	updates       int // WINDOW_UPDATE frames that the peer may send for DATA that it received
	// bytes of DATA that may still arrive for streams that have ended: they were in transit when we
	// reset the stream
	late int64
}

// Drained reports to the connection that everything appended has been sent to the peer.
func (c *Conn) Drained() { c.unread = 0 }

// useless counts a frame that does not advance an answer.
func (c *Conn) useless() error {
	if c.idle++; c.idle <= maxIdle {
		return nil
	}
	return flooded("%d frames that bring no answer", maxIdle)
}

// useful compensates n of them.
func (c *Conn) useful(n int) { c.idle = max(c.idle-n, 0) }

// reply counts a frame that requires a reply.
func (c *Conn) reply() error {
	if c.unread++; c.unread > maxUnread {
		return flooded("%d PING and SETTINGS frames without reading the answers", maxUnread)
	}
	return c.useless()
}

// uploaded records that n bytes of DATA have been sent: the peer may send as many WINDOW_UPDATE
// frames for them, for the stream and for the connection.
func (c *Conn) uploaded(n int) { c.updates = min(c.updates+2*n, maxUpdates) }

// updated counts a WINDOW_UPDATE.
func (c *Conn) updated() error {
	if c.updates > 0 {
		c.updates--
		return nil
	}
	return c.useless()
}

func flooded(format string, a ...any) error {
	err := connError(enhanceYourCalm, "the peer sent "+format, a...)
	err.Flood = true
	return err
}
