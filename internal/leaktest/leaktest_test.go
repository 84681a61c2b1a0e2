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

func waits(release, ended chan struct{}) {
	<-release
	close(ended)
}
