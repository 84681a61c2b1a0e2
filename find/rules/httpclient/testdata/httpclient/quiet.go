package httpclient

import (
	"io"
	"net/http"
	"time"
)

var shared = &http.Client{Transport: &http.Transport{}}

type service struct{ client *http.Client }

func made() *service { return &service{&http.Client{Transport: &http.Transport{}}} }

func (s *service) get(url string) ([]byte, error) {
	resp, err := s.client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func withDefault(url string) error {
	client := http.Client{Timeout: time.Second} // of the default transport
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func loop(urls []string) {
	client := http.Client{Transport: &http.Transport{}}
	for _, url := range urls {
		use(client.Get(url))
	}
}

func returned() (func(string), *http.Client) {
	client := &http.Client{Transport: &http.Transport{}}
	return func(url string) { use(client.Get(url)) }, client
}

func closure() func(string) {
	client := &http.Client{Transport: &http.Transport{}}
	return func(url string) { use(client.Get(url)) }
}

func given(t *http.Transport, url string) {
	client := &http.Client{Transport: t}
	use(client.Get(url))
}

func head(url string) int {
	resp, err := shared.Head(url)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func handed(url string) {
	resp, err := shared.Get(url)
	if err == nil {
		use(resp, nil)
		resp.Body.Close()
	}
}
