package clickhousetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// TLS is how to connect to servers that require TLS and a client certificate. Names are those of PEM files.
type TLS struct {
	Hosts     []string // by shard
	CA        string   // of the servers and of clients
	Cert, Key string   // of a client

	serverCert, serverKey string
}

// newTLS writes an authority and certificates of servers on this machine and of a client to a directory.
func newTLS(dir string) (*TLS, error) {
	at := func(name string) string { return filepath.Join(dir, name) }
	t := &TLS{
		CA: at("ca.pem"), Cert: at("client.pem"), Key: at("client-key.pem"), serverCert: at("server.pem"),
		serverKey: at("server-key.pem"),
	}
	begin := time.Now().Add(-time.Hour)
	template := func(serial int64, name string) *x509.Certificate {
		return &x509.Certificate{
			SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, NotBefore: begin,
			NotAfter: begin.Add(48 * time.Hour), KeyUsage: x509.KeyUsageDigitalSignature, BasicConstraintsValid: true,
		}
	}
	ca := template(1, "whet test authority")
	ca.IsCA, ca.KeyUsage = true, x509.KeyUsageCertSign
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if err := writeCertificate(t.CA, "", ca, ca, caKey, caKey); err != nil {
		return nil, err
	}
	server := template(2, "127.0.0.1")
	server.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	server.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	client := template(3, "whet")
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	for _, c := range []struct {
		cert, key string
		template  *x509.Certificate
	}{{t.serverCert, t.serverKey, server}, {t.Cert, t.Key, client}} {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		if err := writeCertificate(c.cert, c.key, c.template, ca, key, caKey); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// writeCertificate writes a certificate that an authority signs, and its key unless the name of that file
// is "".
func writeCertificate(cert, keyFile string, template, ca *x509.Certificate, key, caKey *ecdsa.PrivateKey) error {
	data, err := x509.CreateCertificate(rand.Reader, template, ca, &key.PublicKey, caKey)
	if err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: data})
	if err := os.WriteFile(cert, text, 0o600); err != nil || keyFile == "" {
		return err
	}
	if data, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		return err
	}
	return os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: data}), 0o600)
}
