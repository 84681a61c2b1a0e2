package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/whet-go/whet/agent"
	"github.com/whet-go/whet/input"
	"github.com/whet-go/whet/internal/diag"
	"github.com/whet-go/whet/load"
)

// maxInfo bounds the size of an agent's report, in bytes.
const maxInfo = 16 << 20

// target makes the run query the target's agent for its CPU time.
func (r *reader) target(o *load.Options) error {
	if r.Target == "" {
		if r.TargetTokenFile != "" {
			return diag.Usagef("--target-token-file", "requires --target",
				"name the address of the target's agent with --target")
		}
		return nil
	}
	u, err := url.Parse(r.Target)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return diag.Usagef("--target", "not an address",
			"give the address of the target's agent: --target http://localhost:6060")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/debug/pprof"
	}
	u = u.JoinPath("whet")
	token := ""
	if r.TargetTokenFile != "" {
		if token, err = input.ReadToken(r.TargetTokenFile, r.stdin); err != nil {
			return err
		}
	}
	client := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: o.TLS, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	o.TargetCPU = func(ctx context.Context) (time.Duration, error) { return agentCPU(ctx, client, u.String(), token) }
	return nil
}

// agentCPU queries an agent for the CPU time of its process.
func agentCPU(ctx context.Context, client *http.Client, address, token string) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("its agent answered %s", resp.Status)
	}
	var info agent.Info
	err = json.NewDecoder(io.LimitReader(resp.Body, maxInfo)).Decode(&info)
	if err != nil || info.Schema != agent.InfoSchema {
		return 0, errors.New("the server is not the whet agent")
	}
	if info.CPU <= 0 {
		return 0, errors.New("its system does not report it")
	}
	return info.CPU, nil
}
