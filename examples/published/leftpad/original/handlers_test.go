package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func BenchmarkTimedHandler(b *testing.B) {
	req := httptest.NewRequest("GET", "/nothing", nil)
	serve := measured("nothing", func(w http.ResponseWriter, req *http.Request) {})
	for i := 0; i < b.N; i++ {
		w := httptest.NewRecorder()
		serve(w, req)
	}
}

func BenchmarkLeftpadHandler(b *testing.B) {
	req := httptest.NewRequest("GET", "/v1/leftpad/?str=test&len=50&chr=*", nil)
	for i := 0; i < b.N; i++ {
		w := httptest.NewRecorder()
		servePad(w, req)
	}
}
