package fast

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/quick"
	"testing/synctest"
	"time"
)

// packets stores each write separately.
type packets struct{ all []string }

func (p *packets) Write(packet []byte) (int, error) {
	p.all = append(p.all, string(packet))
	return len(packet), nil
}

// TestPacketsAreFull runs on a fake clock, so that no packet is sent before it is full.
func TestPacketsAreFull(t *testing.T) { synctest.Test(t, packetsAreFull) }

func packetsAreFull(t *testing.T) {
	var sent packets
	m := NewMetrics(&sent)
	line := strings.Repeat("x", 99)
	for range 100 {
		m.send([]byte(line))
	}
	m.Close()
	const fit = 14 // lines of 99 bytes, with 13 line feeds between them
	for i, packet := range sent.all {
		if lines := strings.Count(packet, line); len(packet) > maxPacket || lines != fit && i < len(sent.all)-1 {
			t.Errorf("packet %d of %d bytes and %d lines", i, len(packet), lines)
		}
	}
	if all := strings.Join(sent.all, "\n"); all != strings.Repeat(line+"\n", 99)+line {
		t.Error("lines are lost, doubled or torn")
	}
}

func TestLongLineGoesAlone(t *testing.T) { synctest.Test(t, longLineGoesAlone) }

func longLineGoesAlone(t *testing.T) {
	var sent packets
	m := NewMetrics(&sent)
	long := strings.Repeat("x", 3*maxPacket)
	for _, line := range []string{"before", long, "after", strings.Repeat("y", maxPacket), "end"} {
		m.send([]byte(line))
	}
	m.Close()
	m.send([]byte("late"))
	if want := []string{
		"before", long, "after", strings.Repeat("y", maxPacket), "end", "late",
	}; !slices.Equal(sent.all, want) {
		t.Errorf("%d packets, want %d: %.50q", len(sent.all), len(want), sent.all)
	}
}

func TestLineWaitsATenthOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent packets
		m := NewMetrics(&sent)
		m.count("name", nil)
		time.Sleep(maxWait)
		synctest.Wait()
		if !slices.Equal(sent.all, []string{"name:1|c"}) {
			t.Errorf("sent %q", sent.all)
		}
		m.Close()
	})
}

func TestTimings(t *testing.T) {
	var sent packets
	m := NewMetrics(&sent)
	m.Close()
	right := func(took time.Duration) bool {
		m.timing("name", []byte(".tags"), took)
		want := "name.tags:" + strconv.FormatFloat(float64(took)/1e6, 'f', -1, 64) + "|ms"
		return sent.all[len(sent.all)-1] == want
	}
	if err := quick.Check(right, nil); err != nil {
		t.Error(err)
	}
}
