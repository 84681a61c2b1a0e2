package mcp_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/whet-go/whet/internal/mcp"
	"github.com/whet-go/whet/internal/prove/provetest"
)

// TestProveCaptured proves a change that is wrong only for a text in a recording with copied calls.
func TestProveCaptured(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	provetest.Part(t)
	dir := t.TempDir()
	provetest.WriteCoupons(t, dir)
	recording := filepath.Join(dir, "run.whet")
	provetest.CouponCalls(t, recording, "another code", provetest.Coupon)
	v := overPipes(t, server(t, mcp.Options{Roots: []string{dir}})).prove(object{
		"patch": provetest.CouponPatch(), "recording": recording,
	})
	if reason, _ := v["reason"].(string); v["outcome"] != "different" || !strings.Contains(reason, provetest.Coupon) {
		t.Errorf("%v: %s\n%v", v["outcome"], reason, v)
	}
}
