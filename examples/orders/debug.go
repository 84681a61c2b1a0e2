package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime"
	"time"
)

// Sampling rates of the profiles that are off by default.
const (
	blockRate     = 10 * time.Microsecond // blocked time per event
	mutexFraction = 100                   // contended unlocks per event
)

// serveDebug serves the profiles, and turns on those that are off by default. Profiles are for the
// people who run the service, so it must be a loopback address.
func serveDebug(addr string) error {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return fmt.Errorf("pprof address: %w", err)
	}
	if !tcp.IP.IsLoopback() {
		return fmt.Errorf("pprof address %s: not a loopback address", addr)
	}
	runtime.SetBlockProfileRate(int(blockRate))
	runtime.SetMutexProfileFraction(mutexFraction)
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.ListenAndServe(addr, mux)
}
