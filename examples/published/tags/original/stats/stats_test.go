package stats

import "testing"

func BenchmarkTagged(b *testing.B) {
	tags := map[string]string{
		"host":     "web1",
		"endpoint": "hello",
		"os":       "Mac OS",
		"browser":  "Firefox",
	}
	for i := 0; i < b.N; i++ {
		tagged("page.received", tags)
	}
}

func TestTagged(t *testing.T) {
	tests := []struct {
		name string
		tags map[string]string
		want string
	}{
		{
			name: "page",
			tags: nil,
			want: "page.no-endpoint.no-os.no-browser",
		},
		{
			name: "page",
			tags: map[string]string{
				"endpoint": "hello",
				"os":       "Mac OS",
				"browser":  "Firefox",
			},
			want: "page.hello.Mac-OS.Firefox",
		},
		{
			name: "page.received",
			tags: map[string]string{
				"host":     "web-1",
				"endpoint": "hello",
				"os":       "Mac{}/\tOS",
				"browser":  "Fire\\:fox",
			},
			want: "page.received.web-1.hello.Mac----OS.Fire--fox",
		},
	}

	for _, test := range tests {
		got := tagged(test.name, test.tags)
		if got != test.want {
			t.Errorf("tagged(%v, %v) = %v, want %v", test.name, test.tags, got, test.want)
		}
	}
}
