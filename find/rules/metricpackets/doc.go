// Package metricpackets defines a rule: each metric is sent to the StatsD aggregator in its own
// packet.
//
// A packet costs a system call and a pass through the kernel's network stack, several
// microseconds, while formatting the line takes a few dozen nanoseconds. StatsD aggregators
// accept several lines in a packet, separated by newlines.
//
// # Before
//
//	type metrics struct{ conn io.Writer }
//
//	func (m *metrics) count(name string) {
//		_, _ = m.conn.Write([]byte(name + ":1|c"))
//	}
//
// # After
//
//	type metrics struct{ conn *metricPackets } // collects lines for up to 100 ms
//
// # Evidence
//
// The CPU profile shows writes to a connection called from the line, and the package contains
// strings of the protocol: constants that end in |c, |ms, |g or |h.
//
// # Safety
//
// The bytes and the order of lines are kept. A line is sent up to 100 ms later, or as soon as a
// packet is full. Pending lines are lost if the program crashes; a Close method of the type that
// holds the connection sends them. The aggregator must accept several lines per packet, as
// StatsD ones do. So the rewrite needs review.
//
// There is a rewrite only where the connection is an unexported field that is set in a literal
// and otherwise only written to, and the results of Write are not used.
package metricpackets
