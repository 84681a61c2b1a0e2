package main

import "testing"

// BenchmarkDigest is one caller who waits for each answer.
func BenchmarkDigest(b *testing.B) {
	s := &server{pool: newPool(2)}
	defer s.pool.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.digest("test"); !ok {
			b.Fatal("the pool is closed")
		}
	}
}

// BenchmarkDigestMany has as many callers as there are CPUs.
func BenchmarkDigestMany(b *testing.B) {
	s := &server{pool: newPool(2)}
	defer s.pool.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, ok := s.digest("test"); !ok {
				b.Error("the pool is closed")
				return
			}
		}
	})
}
