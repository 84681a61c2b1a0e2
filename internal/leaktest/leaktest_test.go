package leaktest

import (
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

func TestFind(t *testing.T) {
	release := make(chan struct{})
	ended := make(chan struct{})
	go waits(release, ended)
	if err := find(0); err == nil || !strings.Contains(err.Error(), "leaktest.waits") {
		t.Errorf("a goroutine that waits: %v", err)
	}
	close(release)
	<-ended
	if err := find(time.Minute); err != nil {
		t.Error(err)
	}
}

func TestSince(t *testing.T) {
	release, ended := make(chan struct{}), make(chan struct{})
	go waits(release, ended)
	late, lateEnded := make(chan struct{}), make(chan struct{})
	left := Since()
	if err := left(time.Minute); err != nil {
		t.Errorf("a goroutine that was there before: %v", err)
	}
	go waits(late, lateEnded)
	if err := left(0); err == nil || !strings.Contains(err.Error(), "leaktest.waits") {
		t.Errorf("a goroutine that was started since: %v", err)
	}
	close(late)
	<-lateEnded
	if err := left(time.Minute); err != nil {
		t.Error(err)
	}
	close(release)
	<-ended
}

func waits(release, ended chan struct{}) {
	<-release
	close(ended)
}
