package discover

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// DefaultDNSRefresh is how often names are looked up again.
const DefaultDNSRefresh = 30 * time.Second

// lookupTimeout is how long an answer about one name may take.
const lookupTimeout = 10 * time.Second

// DNS looks up SRV records.
type DNS struct {
	Names    []string // such as _pprof._tcp.shop.example.com
	Refresh  time.Duration
	Resolver *net.Resolver // nil means that of the system
}

// String returns the names.
func (d *DNS) String() string { return "DNS names " + strings.Join(d.Names, ", ") }

// Run implements Source. A name whose records cannot be had keeps those that it had, unless the
// answer is that there are none.
func (d *DNS) Run(ctx context.Context, update func([]map[string]string, error)) {
	resolver := d.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	last := map[string][]map[string]string{}
	repeat(ctx, d.Refresh, func(ctx context.Context) {
		var errs []error
		for _, name := range d.Names {
			within, cancel := context.WithTimeout(ctx, lookupTimeout)
			_, records, err := resolver.LookupSRV(within, "", "", name)
			cancel()
			if ctx.Err() != nil {
				return
			}
			if len(records) > 0 {
				err = nil // some of the records may be malformed
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("look up %s: %w", name, err))
				if e := (*net.DNSError)(nil); errors.As(err, &e) && e.IsNotFound {
					last[name] = nil
				}
				continue
			}
			var found []map[string]string
			for _, r := range records {
				host, port := strings.TrimSuffix(r.Target, "."), strconv.Itoa(int(r.Port))
				address := net.JoinHostPort(host, port)
				if CheckAddress(address) != nil || len(found) == MaxTargets {
					continue // "." means that there is no service
				}
				found = append(found, map[string]string{
					Address: address, "__meta_dns_name": name, "__meta_dns_srv_record_target": r.Target,
					"__meta_dns_srv_record_port": port,
				})
			}
			last[name] = found
		}
		var all []map[string]string
		for _, name := range d.Names {
			for _, t := range last[name] {
				all = append(all, copied(t))
			}
		}
		update(all, errors.Join(errs...))
	})
}

func copied(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}
