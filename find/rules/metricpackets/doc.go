// Package metricpackets defines a rule: each metric goes to the StatsD aggregator in a packet of its own.
//
// A packet is a system call and a way through the kernel's network, of some microseconds; the line in
// it takes a few dozen nanoseconds to write. Aggregators of the StatsD protocol take several lines in a
// packet, with a line feed between them.
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
// The CPU profile has writes to a connection below the line, and the package has texts of the
// protocol: constants that end in |c, |ms, |g or |h.
//
// # Safety
//
// The bytes of each line and their order stay as they are. A line comes up to 100 ms later, or when as
// many have come as fit into a packet, and those that wait are lost when the program dies; a method
// Close of the type that holds the connection sends them. The aggregator must take several lines in a
// packet, as those of StatsD do. So somebody has to look at it. There is a rewrite only where the
// connection is an unexported field that is written to and set in a literal, and the results of
// Write are not used.
package metricpackets
