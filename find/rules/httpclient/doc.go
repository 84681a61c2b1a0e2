// Package httpclient defines a rule: connections to other services are not used again.
//
// To connect takes a round trip, with TLS three, and tens of microseconds of arithmetic. A transport
// keeps connections for later, but only for who asks the same transport, and only those whose answer
// was read to its end. The default transport keeps two for each host.
//
// # Before
//
//	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
//	resp, err := client.Get(url)
//
// # After
//
//	resp, err := s.client.Get(url) // made once
//
// # Evidence
//
// The CPU profile has (*http.Transport).getConn or crypto/tls below the line; so has the
// block profile, where the line waits for a connection. The work of the connections' own goroutines
// is not below any line.
//
// # Safety
//
// There is no rewrite. A transport that several share keeps connections open, and what somebody sets
// in it holds for all. To read the rest of a body takes as long as the other side likes: it needs a
// limit. How many connections a service may keep is for its operators to say.
package httpclient
