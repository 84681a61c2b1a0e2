// Package httpclient defines a rule: connections to other services are not reused.
//
// Connecting takes one round trip, with TLS three, and tens of microseconds of cryptography. A
// transport keeps idle connections, but only for requests made through the same transport, and
// only if the response body was read to its end. The default transport keeps two per host.
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
// The CPU profile shows (*http.Transport).getConn or crypto/tls called from the line; so does
// the block profile where the line waits for a connection. The work of the connections' own
// goroutines is not charged to any line.
//
// # Safety
//
// There is no rewrite. A shared transport keeps connections open, and its settings apply to all
// its users. Draining a body takes as long as the server likes, so it needs a limit. How many
// connections a service may keep open is for its operators to decide.
package httpclient
