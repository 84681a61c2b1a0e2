package discover

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A Cluster is how to reach the API server of a Kubernetes cluster.
type Cluster struct {
	Server    string
	Token     func() (string, error) // nil means none
	TLS       *tls.Config            // nil means the system's roots
	Namespace string                 // of the pod or of the context; "" if unknown
}

// serviceAccount is where a pod finds the credentials of its service account.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

// InCluster returns the cluster of the pod that this program runs in.
func InCluster() (*Cluster, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("whet does not run in a pod (KUBERNETES_SERVICE_HOST is not set); name a kubeconfig_file " +
			"or an api_server")
	}
	roots, err := ReadRoots(filepath.Join(serviceAccount, "ca.crt"))
	if err != nil {
		return nil, err
	}
	namespace, _ := os.ReadFile(filepath.Join(serviceAccount, "namespace")) // only own_namespace needs it
	return &Cluster{
		Server: "https://" + net.JoinHostPort(host, port), Token: FileToken(filepath.Join(serviceAccount, "token")),
		TLS:       &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		Namespace: strings.TrimSpace(string(namespace)),
	}, nil
}

// ReadRoots reads the certificates of authorities from a PEM file.
func ReadRoots(name string) (*x509.CertPool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return roots(name, data)
}

func roots(name string, data []byte) (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data) {
		return nil, fmt.Errorf("%s has no certificate", name)
	}
	return pool, nil
}

// kubeconfig is the part of a kubeconfig file that is used.
type kubeconfig struct {
	Current  string `yaml:"current-context"`
	Contexts []struct {
		Name    string `yaml:"name"`
		Context struct {
			Cluster   string `yaml:"cluster"`
			User      string `yaml:"user"`
			Namespace string `yaml:"namespace"`
		} `yaml:"context"`
	} `yaml:"contexts"`
	Clusters []struct {
		Name    string `yaml:"name"`
		Cluster struct {
			Server   string `yaml:"server"`
			CA       string `yaml:"certificate-authority"`
			CAData   string `yaml:"certificate-authority-data"`
			Insecure bool   `yaml:"insecure-skip-tls-verify"`
			Name     string `yaml:"tls-server-name"`
		} `yaml:"cluster"`
	} `yaml:"clusters"`
	Users []struct {
		Name string `yaml:"name"`
		User struct {
			Token     string    `yaml:"token"`
			TokenFile string    `yaml:"tokenFile"`
			Cert      string    `yaml:"client-certificate"`
			CertData  string    `yaml:"client-certificate-data"`
			Key       string    `yaml:"client-key"`
			KeyData   string    `yaml:"client-key-data"`
			Exec      yaml.Node `yaml:"exec"`
			Provider  yaml.Node `yaml:"auth-provider"`
		} `yaml:"user"`
	} `yaml:"users"`
}

// Kubeconfig returns the cluster of the current context of a kubeconfig file. Users with a token or a
// client certificate are supported; whet starts no programs to log in.
func Kubeconfig(name string) (*Cluster, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	c, err := parseKubeconfig(filepath.Dir(name), data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

func parseKubeconfig(dir string, data []byte) (*Cluster, error) {
	var k kubeconfig
	if len(data) > maxFile {
		return nil, errors.New("it is too large")
	}
	if err := yaml.Unmarshal(data, &k); err != nil {
		return nil, errors.New("it is not a kubeconfig file") // the cause may show a token
	}
	cluster, user := "", ""
	c := &Cluster{TLS: &tls.Config{MinVersion: tls.VersionTLS12}}
	for _, x := range k.Contexts {
		if x.Name == k.Current {
			cluster, user, c.Namespace = x.Context.Cluster, x.Context.User, x.Context.Namespace
		}
	}
	if cluster == "" {
		return nil, fmt.Errorf("it has no context %q, the current one", k.Current)
	}
	for i := range k.Clusters {
		if x := &k.Clusters[i].Cluster; k.Clusters[i].Name == cluster {
			c.Server, c.TLS.ServerName = x.Server, x.Name
			c.TLS.InsecureSkipVerify = x.Insecure //nolint:gosec // as the user's file says
			ca, err := either(dir, x.CA, x.CAData)
			if err != nil {
				return nil, fmt.Errorf("certificate authority: %w", err)
			}
			if ca != nil {
				if c.TLS.RootCAs, err = roots("certificate authority", ca); err != nil {
					return nil, err
				}
			}
		}
	}
	if u, err := url.Parse(c.Server); err != nil || u.Host == "" {
		return nil, fmt.Errorf("cluster %q has no server", cluster)
	}
	for i := range k.Users {
		x := &k.Users[i].User
		if k.Users[i].Name != user {
			continue
		}
		cert, err := either(dir, x.Cert, x.CertData)
		if err != nil {
			return nil, fmt.Errorf("client certificate: %w", err)
		}
		key, err := either(dir, x.Key, x.KeyData)
		if err != nil {
			return nil, fmt.Errorf("client key: %w", err)
		}
		switch {
		case x.TokenFile != "":
			c.Token = FileToken(at(dir, x.TokenFile))
		case x.Token != "":
			token := x.Token
			c.Token = func() (string, error) { return token, nil }
		case cert != nil:
			pair, err := tls.X509KeyPair(cert, key)
			if err != nil {
				return nil, fmt.Errorf("client certificate: %w", err)
			}
			c.TLS.Certificates = []tls.Certificate{pair}
		case !x.Exec.IsZero() || !x.Provider.IsZero():
			return nil, fmt.Errorf("user %q logs in with a program, which whet does not start; use a token or a client "+
				"certificate", user)
		}
	}
	return c, nil
}

// either returns the content of a file, or of base64; nil if there is neither.
func either(dir, file, data string) ([]byte, error) {
	switch {
	case data != "":
		b, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil, errors.New("it is not base64")
		}
		return b, nil
	case file != "":
		return os.ReadFile(at(dir, file))
	}
	return nil, nil
}

func at(dir, file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(dir, file)
}

// Client returns an HTTP client for the cluster.
func (c *Cluster) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: c.TLS, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: listTimeout,
		DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	}}
}
