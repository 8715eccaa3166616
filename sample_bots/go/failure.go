package main

import (
	"errors"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Exit codes, as of the Python package.
const (
	exitUsage        = 64 // a setting is missing or invalid
	exitUnavailable  = 69 // the server is gone
	exitSoftware     = 70 // anything else
	exitReplaced     = 75 // a newer process took over
	exitRefused      = 76 // the server refuses the program, or no arena answers there
	exitTokenRefused = 77 // the server refuses the token
)

// A failure ends the program: connecting again would not help.
type failure struct {
	exitCode int
	text     string // one sentence for people
}

func (f *failure) Error() string { return f.text }

// finalReasons are the reasons after which a new stream would end in the same way.
var finalReasons = map[string]failure{
	"UNAUTHENTICATED":     {exitTokenRefused, "the server refused the token"},
	"TOKEN_REVOKED":       {exitTokenRefused, "the token was revoked"},
	"TOKEN_EXPIRED":       {exitTokenRefused, "the token has expired"},
	"SCOPE_MISSING":       {exitTokenRefused, "the token may not play"},
	"SESSION_REPLACED":    {exitReplaced, "another process with the same token and instance took over"},
	"UNSUPPORTED_VERSION": {exitRefused, "the server speaks another version of the protocol"},
	"HELLO_EXPECTED":      {exitRefused, "the server did not accept the hello"},
	"INVALID_ARGUMENT":    {exitRefused, "the server did not accept the hello"},
	"TOO_MANY_INVALID":    {exitRefused, "the server could not read what this bot sent"},
}

// finalCodes stand for the reason where what answers gives none. Once an arena has answered, something on the way to it
// may give such codes and texts.
var finalCodes = map[codes.Code]failure{
	codes.Unauthenticated:    {exitTokenRefused, "the server refused the token"},
	codes.PermissionDenied:   {exitTokenRefused, "the token may not play"},
	codes.FailedPrecondition: {exitRefused, "the server does not let this bot play"},
	codes.InvalidArgument:    {exitRefused, "the server could not read what this bot sent"},
	codes.Unimplemented:      {exitRefused, "what answers is not an arena"},
}

const closes = "what answers there closes the connection: it is no arena, only one side uses TLS, or it asks for a client certificate"

// firstTexts are what grpc-go says if no connection can be made, and waiting would not help.
var firstTexts = map[string]failure{
	"authentication handshake failed": {exitRefused, "no secure connection can be made"},
	"failed to write client preface":  {exitRefused, closes},
	"error reading server preface":    {exitRefused, closes},
}

func otherVersion(version uint32) error {
	return fail(exitRefused, "the server speaks version %d of the protocol, and this bot version %d", version, protocolVersion)
}

// findFailure returns the failure with which a stream ended; nil if another stream may fare better. isKnown tells whether
// an arena has answered at the address before: then only a reason of the arena itself is final.
func findFailure(err error, address string, isKnown bool) error {
	if own := (*failure)(nil); errors.As(err, &own) {
		return own
	}
	ending := status.Convert(err)
	final, isFinal := finalReasons[reasonOf(ending)]
	if !isFinal && !isKnown {
		final, isFinal = finalCodes[ending.Code()]
	}
	for text, meaning := range firstTexts {
		if !isFinal && !isKnown && strings.Contains(ending.Message(), text) {
			final, isFinal = meaning, true
		}
	}
	if !isFinal {
		return nil
	}
	return fail(final.exitCode, "%s (%s: %s)", final.text, address, ending.Message())
}

// reasonOf returns the reason that the server gives in the details of a status, or no text.
func reasonOf(ending *status.Status) string {
	for _, detail := range ending.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.GetDomain() == "cheatarena" {
			return info.GetReason()
		}
	}
	return ""
}
