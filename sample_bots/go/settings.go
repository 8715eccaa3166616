package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	pb "cheatbot/arenapb"
)

const defaultPatience = 30 * time.Second

var (
	// alive notices a connection that has gone silent.
	alive = keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 5 * time.Second}
	// attempts are as frequent as those of search.
	attempts = grpc.ConnectParams{
		Backoff:           backoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 2, MaxDelay: time.Second},
		MinConnectTimeout: 10 * time.Second,
	}
)

// settings say where the bot plays and as whom. They come from the variables that the protocol guide lists.
type settings struct {
	address, token string
	instance       instance
	security       credentials.TransportCredentials
	proxy          string        // on the way to the address; empty if there is none
	patience       time.Duration // how long the bot looks for a server that is gone
	resumesExactly bool          // continue from positions after a lost connection, not from snapshots
	pools          []*pb.PoolEntry
	version        string // of this program, for ratings
	challenges     pb.ChallengePolicy
}

// settingsFromEnvironment reads the settings. The failure of a bad setting is for the bot's user.
func settingsFromEnvironment(get func(string) string) (settings, error) {
	s := settings{
		address:        get("CHEATARENA_ADDRESS"),
		token:          strings.TrimFunc(get("CHEATARENA_TOKEN"), isBlank),
		patience:       defaultPatience,
		resumesExactly: get("CHEATARENA_RESUME") == "exact",
	}
	host, err := hostOf(s.address)
	switch {
	case s.address == "":
		return s, fail(exitUsage, "no server is named: set CHEATARENA_ADDRESS to host:port")
	case err != nil || host == "":
		return s, fail(exitUsage, "CHEATARENA_ADDRESS is %q, expected host:port", s.address)
	case s.token == "":
		return s, fail(exitUsage, "there is no token: set CHEATARENA_TOKEN")
	}
	if strings.ContainsFunc(s.token, func(character rune) bool { return character <= ' ' || character > '~' }) {
		return s, fail(exitUsage, "CHEATARENA_TOKEN is not a token: expected cat_ and 46 letters and digits, copied completely")
	}
	if text := get("CHEATARENA_PATIENCE"); text != "" {
		seconds, err := strconv.ParseUint(text, 10, 16)
		if err != nil {
			return s, fail(exitUsage, "CHEATARENA_PATIENCE is %q, expected a number of seconds", text)
		}
		s.patience = time.Duration(seconds) * time.Second
	}
	if s.pools, err = parsePools(get("CHEATARENA_POOLS")); err != nil {
		return s, err
	}
	if s.version = get("CHEATARENA_VERSION"); !isShortText(s.version) {
		return s, fail(exitUsage, "CHEATARENA_VERSION is %q, expected at most %d printable characters", s.version, longestName)
	}
	s.instance = newInstance(get("CHEATARENA_INSTANCE"), s.version)
	word, isPolicy := get("CHEATARENA_CHALLENGES"), false
	if s.challenges, isPolicy = challengePolicies[word]; !isPolicy {
		return s, fail(exitUsage, "CHEATARENA_CHALLENGES is %q, expected own, nobody or everybody", word)
	}
	if !isLoopback(host) {
		s.proxy = proxyTo(s.address)
	}
	s.security, err = security(host, get)
	return s, err
}

// isBlank tells whether a character at an end of a token comes from an editor: white space, or a byte order mark.
func isBlank(character rune) bool {
	return unicode.IsSpace(character) || character == '\ufeff'
}

// proxyTo names the proxy that gRPC takes from HTTPS_PROXY and NO_PROXY for an address; empty if it takes none.
func proxyTo(address string) string {
	proxy, _ := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	if proxy == nil {
		return ""
	}
	return proxy.Redacted()
}

// hostOf returns the host of host:port, or this machine for a Unix socket, which is unix: and its absolute path.
func hostOf(address string) (string, error) {
	if strings.HasPrefix(address, "unix:/") {
		return "localhost", nil
	}
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	return host, err
}

// connect returns a connection, which gRPC makes when a stream needs it.
func (s settings) connect() (*grpc.ClientConn, error) {
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(s.security), grpc.WithKeepaliveParams(alive), grpc.WithConnectParams(attempts),
	}
	if s.proxy == "" {
		options = append(options, grpc.WithNoProxy())
	}
	connection, err := grpc.NewClient(s.address, options...)
	if err != nil {
		return nil, fail(exitUsage, "the address %s cannot be used: %v", s.address, err)
	}
	return connection, nil
}

// security returns TLS, or plaintext on this machine or where CHEATARENA_INSECURE asks for it.
func security(host string, get func(string) string) (credentials.TransportCredentials, error) {
	ca, certificate, key := get("CHEATARENA_CA"), get("CHEATARENA_CERT"), get("CHEATARENA_KEY")
	switch {
	case (certificate == "") != (key == ""):
		return nil, fail(exitUsage, "a certificate and its key come together: set CHEATARENA_CERT and CHEATARENA_KEY")
	case get("CHEATARENA_INSECURE") == "1" && ca+certificate != "":
		return nil, fail(exitUsage, "CHEATARENA_INSECURE turns TLS off, so CHEATARENA_CA and CHEATARENA_CERT would do nothing")
	case get("CHEATARENA_INSECURE") == "1" || ca == "" && isLoopback(host):
		return insecure.NewCredentials(), nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		pem, err := os.ReadFile(ca)
		if err != nil {
			return nil, fail(exitUsage, "CHEATARENA_CA cannot be read: %v", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fail(exitUsage, "CHEATARENA_CA names %s, which is not a PEM file", ca)
		}
	}
	if certificate != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			return nil, fail(exitUsage, "the client certificate cannot be used: %v", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return credentials.NewTLS(config), nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// fail returns a failure with a sentence for the bot's user.
func fail(exitCode int, format string, values ...any) error {
	return &failure{exitCode, fmt.Sprintf(format, values...)}
}
