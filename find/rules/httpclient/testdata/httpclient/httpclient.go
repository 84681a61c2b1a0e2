package httpclient

import (
	"crypto/tls"
	"net/http"
	"sync"
	"time"
)

func perCall(url string) (*http.Response, error) {
	client := &http.Client{Timeout: time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{}}}
	return client.Get(url) // want `its own transport`
}

func viaVariable(r *http.Request) (*http.Response, error) {
	transport := &http.Transport{MaxIdleConns: 3}
	client := http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	return client.Do(r) // want `its own transport`
}

func atOnce(urls []string) {
	for _, url := range urls {
		client := http.Client{Transport: &http.Transport{}}
		if resp, err := client.Get(url); err == nil { // want `its own transport`
			resp.Body.Close()
		}
		if resp, err := (&http.Client{Transport: (&http.Transport{})}).Get(url); err == nil { // want `its own transport`
			resp.Body.Close()
		}
	}
}

func alive(url string) bool {
	resp, err := http.Get(url) // want `closed but never read`
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK && resp.Header.Get("X") == ""
}

func each(urls []string) {
	var wait sync.WaitGroup
	for _, url := range urls {
		wait.Add(1)
		go func() {
			defer wait.Done()
			use(http.Get(url)) // want `keeps two idle connections`
		}()
	}
	wait.Wait()
}

func use(resp *http.Response, err error) {}
