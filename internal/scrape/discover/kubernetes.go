package discover

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/whet-go/whet/internal/origin"
)

const (
	listPage = 500 // pods of one answer
	// maxPage is the size of one answer to a list, and of one event, in bytes.
	maxPage = 64 << 20
	// listTimeout is how long an answer to a list may take.
	listTimeout = time.Minute
	// watchFor is how long the server is to send events; watchGrace is added to it.
	watchFor   = 5 * time.Minute
	watchGrace = 30 * time.Second
	// settle is how long changes are gathered before they are reported.
	settle = time.Second
	// Waits between attempts when the server does not answer.
	minRetry, maxRetry = time.Second, time.Minute
)

// Kubernetes lists and watches pods through the API of a cluster.
type Kubernetes struct {
	Server string // address of the API server
	// Token returns the token of a request; nil means none.
	Token func() (string, error)
	HTTP  *http.Client // nil means one that trusts the system's roots
	// Namespaces limit the pods; none means all.
	Namespaces []string
	// Labels and Fields are selectors as Kubernetes writes them.
	Labels, Fields string
}

// String returns the address of the server.
func (k *Kubernetes) String() string {
	u, err := url.Parse(k.Server)
	if err != nil {
		return "Kubernetes"
	}
	return "Kubernetes " + u.Redacted()
}

// The parts of the API's objects that become labels.
type (
	podList struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
			Continue        string `json:"continue"`
		} `json:"metadata"`
		Items []pod `json:"items"`
	}
	pod struct {
		Metadata struct {
			Name            string            `json:"name"`
			Namespace       string            `json:"namespace"`
			UID             string            `json:"uid"`
			ResourceVersion string            `json:"resourceVersion"`
			Labels          map[string]string `json:"labels"`
			Annotations     map[string]string `json:"annotations"`
			Owners          []struct {
				Kind       string `json:"kind"`
				Name       string `json:"name"`
				Controller bool   `json:"controller"`
			} `json:"ownerReferences"`
		} `json:"metadata"`
		Spec struct {
			Node       string      `json:"nodeName"`
			Containers []container `json:"containers"`
		} `json:"spec"`
		Status struct {
			Phase      string `json:"phase"`
			IP         string `json:"podIP"`
			HostIP     string `json:"hostIP"`
			Conditions []struct {
				Type   string `json:"type"`
				Status string `json:"status"`
			} `json:"conditions"`
		} `json:"status"`
	}
	container struct {
		Name  string `json:"name"`
		Image string `json:"image"`
		Ports []struct {
			Name     string `json:"name"`
			Number   int    `json:"containerPort"`
			Protocol string `json:"protocol"`
		} `json:"ports"`
	}
	event struct {
		Type   string          `json:"type"`
		Object json.RawMessage `json:"object"`
	}
)

// errExpired means that the server no longer has the version from which events were wanted.
var errExpired = errors.New("the resource version is too old")

// Run implements Source.
func (k *Kubernetes) Run(ctx context.Context, update func([]map[string]string, error)) {
	w := &podWatch{k: k, pods: map[string]map[string]pod{}, update: update, trouble: map[string]error{}}
	namespaces := k.Namespaces
	if len(namespaces) == 0 {
		namespaces = []string{""}
	}
	changes := make(chan change)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan struct{})
	for _, ns := range namespaces {
		go func() {
			k.follow(ctx, ns, changes)
			done <- struct{}{}
		}()
	}
	w.gather(ctx, changes)
	stop()
	for range namespaces {
		<-done
	}
}

// A change is news of one namespace: all of its pods, one pod, or an error.
type change struct {
	namespace string
	all       []pod // replaces the pods if list
	list      bool
	pod       *pod
	gone      bool // pod is
	err       error
}

// podWatch has the pods that are known.
type podWatch struct {
	k       *Kubernetes
	pods    map[string]map[string]pod // by watched namespace and UID
	trouble map[string]error          // by watched namespace
	update  func([]map[string]string, error)
}

// gather applies changes and reports the targets when there was no change for a moment.
func (w *podWatch) gather(ctx context.Context, changes <-chan change) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	waiting := false
	for {
		select {
		case <-ctx.Done():
			return
		case c := <-changes:
			w.apply(c)
			if !waiting {
				waiting = true
				timer.Reset(settle)
			}
		case <-timer.C:
			waiting = false
			w.report()
		}
	}
}

func (w *podWatch) apply(c change) {
	if c.err != nil {
		w.trouble[c.namespace] = c.err
		return
	}
	delete(w.trouble, c.namespace)
	if c.list {
		w.pods[c.namespace] = make(map[string]pod, len(c.all))
		for _, p := range c.all {
			w.pods[c.namespace][p.key()] = p
		}
	}
	switch known := w.pods[c.namespace]; {
	case c.pod == nil || known == nil:
	case c.gone:
		delete(known, c.pod.key())
	case len(known) < MaxTargets:
		known[c.pod.key()] = *c.pod
	}
}

func (w *podWatch) report() {
	var all []map[string]string
	var errs []error
	for _, ns := range slices.Sorted(maps.Keys(w.pods)) {
		for _, key := range slices.Sorted(maps.Keys(w.pods[ns])) {
			p := w.pods[ns][key]
			all = append(all, p.targets()...)
		}
	}
	if len(all) > MaxTargets {
		all, errs = all[:MaxTargets], append(errs, errTooMany())
	}
	for _, ns := range slices.Sorted(maps.Keys(w.trouble)) {
		errs = append(errs, w.trouble[ns])
	}
	w.update(all, errors.Join(errs...))
}

// key identifies a pod.
func (p *pod) key() string {
	return p.Metadata.Namespace + "/" + p.Metadata.Name + "/" + p.Metadata.UID
}

// follow lists the pods of a namespace ("" is all) and watches them until ctx ends.
func (k *Kubernetes) follow(ctx context.Context, namespace string, changes chan<- change) {
	send := func(c change) {
		c.namespace = namespace
		select {
		case changes <- c:
		case <-ctx.Done():
		}
	}
	wait := minRetry
	for ctx.Err() == nil {
		pods, version, err := k.list(ctx, namespace)
		if err == nil {
			send(change{all: pods, list: true})
			wait = minRetry
			for err == nil && ctx.Err() == nil {
				began := time.Now()
				version, err = k.watch(ctx, namespace, version, send)
				if err == nil && time.Since(began) < time.Second {
					sleep(ctx, minRetry) // the server ends watches at once
				}
			}
		}
		if ctx.Err() != nil {
			return
		}
		if !errors.Is(err, errExpired) {
			send(change{err: fmt.Errorf("%v: %w", k, err)})
		}
		if !sleep(ctx, wait) {
			return
		}
		wait = min(2*wait, maxRetry)
	}
}

// request sends a request for pods and returns a successful answer.
func (k *Kubernetes) request(ctx context.Context, namespace string, q url.Values) (*http.Response, error) {
	u, err := url.Parse(k.Server)
	if err != nil {
		return nil, errors.New("invalid address of the API server")
	}
	if namespace == "" {
		u = u.JoinPath("api/v1/pods")
	} else {
		u = u.JoinPath("api/v1/namespaces", namespace, "pods")
	}
	if k.Labels != "" {
		q.Set("labelSelector", k.Labels)
	}
	if k.Fields != "" {
		q.Set("fieldSelector", k.Fields)
	}
	u.RawQuery = q.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "whet")
	if k.Token != nil {
		token, err := k.Token()
		if err != nil {
			return nil, err
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
	}
	client := k.HTTP
	if client == nil {
		client = &http.Client{}
	}
	own := *client
	own.CheckRedirect = origin.Policy{Secret: true}.Redirect
	answer, err := own.Do(r)
	if err != nil {
		if e := (*url.Error)(nil); errors.As(err, &e) {
			err = e.Err // without the query
		}
		return nil, err
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	var status struct{ Message string }
	data, _ := io.ReadAll(io.LimitReader(answer.Body, 64<<10)) // the status says enough
	_ = json.Unmarshal(data, &status)
	if answer.StatusCode == http.StatusGone {
		return nil, errExpired
	}
	return nil, fmt.Errorf("the API server answers %s: %.200s", answer.Status,
		cmp.Or(status.Message, "without a message"))
}

// list returns all pods of a namespace and the version from which to watch.
func (k *Kubernetes) list(ctx context.Context, namespace string) (pods []pod, version string, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	next := ""
	for {
		q := url.Values{"limit": {strconv.Itoa(listPage)}}
		if next != "" {
			q.Set("continue", next)
		}
		answer, err := k.request(ctx, namespace, q)
		if err != nil {
			return nil, "", err
		}
		var page podList
		err = json.NewDecoder(io.LimitReader(answer.Body, maxPage)).Decode(&page)
		_ = answer.Body.Close() // it was read
		if err != nil {
			return nil, "", fmt.Errorf("read the list of pods: %w", err)
		}
		if len(pods)+len(page.Items) > MaxTargets {
			return nil, "", fmt.Errorf("more than %d pods; select some with namespaces or selectors", MaxTargets)
		}
		for _, p := range page.Items {
			pods = append(pods, p.slim())
		}
		version, next = page.Metadata.ResourceVersion, page.Metadata.Continue
		if next == "" {
			return pods, version, nil
		}
	}
}

// watch passes events on until the server ends the answer, and returns the version to continue from.
func (k *Kubernetes) watch(ctx context.Context, namespace, version string, send func(change)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, watchFor+watchGrace)
	defer cancel()
	answer, err := k.request(ctx, namespace, url.Values{
		"watch": {"1"}, "resourceVersion": {version}, "allowWatchBookmarks": {"true"},
		"timeoutSeconds": {strconv.Itoa(int(watchFor.Seconds()))},
	})
	if err != nil {
		return version, err
	}
	defer func() { _ = answer.Body.Close() }()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, maxPage)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return version, fmt.Errorf("read an event: %w", err)
		}
		if e.Type == "ERROR" {
			var status struct {
				Code    int
				Message string
			}
			_ = json.Unmarshal(e.Object, &status)
			if status.Code == http.StatusGone {
				return version, errExpired
			}
			return version, fmt.Errorf("the API server ends the watch: %.200s", status.Message)
		}
		var p pod
		if err := json.Unmarshal(e.Object, &p); err != nil {
			return version, fmt.Errorf("read an event: %w", err)
		}
		version = cmp.Or(p.Metadata.ResourceVersion, version)
		if e.Type == "ADDED" || e.Type == "MODIFIED" || e.Type == "DELETED" {
			slim := p.slim()
			send(change{pod: &slim, gone: e.Type == "DELETED"})
		}
	}
	if err := lines.Err(); err != nil && ctx.Err() == nil {
		return version, fmt.Errorf("watch pods: %w", err)
	}
	return version, nil
}

// slim drops long annotations, such as the whole configuration that kubectl keeps.
func (p pod) slim() pod {
	for name, value := range p.Metadata.Annotations {
		if len(value) > 1024 {
			delete(p.Metadata.Annotations, name)
		}
	}
	return p
}

// targets returns a target for each port of a pod's containers, and one without a port for containers
// that declare none, with the labels that Prometheus gives them. A pod that has ended or does not
// have an address has none.
func (p *pod) targets() []map[string]string {
	if net.ParseIP(p.Status.IP) == nil || p.Status.Phase == "Succeeded" || p.Status.Phase == "Failed" {
		return nil
	}
	const meta = "__meta_kubernetes_"
	about := map[string]string{
		meta + "namespace": p.Metadata.Namespace, meta + "pod_name": p.Metadata.Name, meta + "pod_uid": p.Metadata.UID,
		meta + "pod_ip": p.Status.IP, meta + "pod_host_ip": p.Status.HostIP, meta + "pod_node_name": p.Spec.Node,
		meta + "pod_phase": p.Status.Phase, meta + "pod_ready": "unknown",
	}
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" {
			about[meta+"pod_ready"] = strings.ToLower(c.Status)
		}
	}
	for _, o := range p.Metadata.Owners {
		if o.Controller {
			about[meta+"pod_controller_kind"], about[meta+"pod_controller_name"] = o.Kind, o.Name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Metadata.Labels)) {
		about[meta+"pod_label_"+plain(name)] = p.Metadata.Labels[name]
		about[meta+"pod_labelpresent_"+plain(name)] = "true"
	}
	for _, name := range slices.Sorted(maps.Keys(p.Metadata.Annotations)) {
		about[meta+"pod_annotation_"+plain(name)] = p.Metadata.Annotations[name]
		about[meta+"pod_annotationpresent_"+plain(name)] = "true"
	}
	host := p.Status.IP
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	var all []map[string]string
	for _, c := range p.Spec.Containers {
		one := copied(about)
		one[Address] = host
		one[meta+"pod_container_name"], one[meta+"pod_container_image"] = c.Name, c.Image
		for _, port := range c.Ports {
			t := copied(one)
			number := strconv.Itoa(port.Number)
			t[Address] = host + ":" + number
			t[meta+"pod_container_port_number"], t[meta+"pod_container_port_name"] = number, port.Name
			t[meta+"pod_container_port_protocol"] = cmp.Or(port.Protocol, "TCP")
			all = append(all, t)
		}
		if len(c.Ports) == 0 {
			all = append(all, one)
		}
	}
	return all
}

// plain returns a name of Kubernetes as part of the name of a label.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// FileToken returns a function that reads a token from a file each time, because tokens of service
// accounts are renewed.
func FileToken(name string) func() (string, error) {
	return func() (string, error) { return ReadToken(name) }
}

// maxToken is the size of the largest file with a token, in bytes.
const maxToken = 64 << 10

// ReadToken reads a token of one line. Errors do not contain it.
func ReadToken(name string) (string, error) {
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(file, maxToken+1))
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(data))
	foreign := func(r rune) bool { return r <= ' ' || r > '~' }
	if token == "" || len(data) > maxToken || strings.ContainsFunc(token, foreign) {
		return "", fmt.Errorf("%s has no token (want one line without spaces)", name)
	}
	return token, nil
}
