package support

import (
	"regexp"
	"strings"
	"unicode"
)

// A Redactor recognizes what looks like a secret, by its name or by itself.
type Redactor struct {
	names  *regexp.Regexp // further names; nil: none
	off    bool
	values []rule
}

// A rule recognizes one kind of secret in a text.
type rule struct {
	what string
	// likely reports whether a text, also in lower case, may match: searching for the pattern takes much longer.
	likely  func(text, lower string) bool
	pattern *regexp.Regexp
	confirm func(match string) bool // nil: always
}

// having returns a function that reports whether a text in lower case has one of some parts.
func having(parts ...string) func(_, lower string) bool {
	return func(_, lower string) bool {
		for _, p := range parts {
			if strings.Contains(lower, p) {
				return true
			}
		}
		return false
	}
}

// digits returns a function that reports whether a text has at least n digits.
func digits(n int) func(text, _ string) bool {
	return func(text, _ string) bool {
		have := 0
		for i := 0; i < len(text) && have < n; i++ {
			if text[i] >= '0' && text[i] <= '9' {
				have++
			}
		}
		return have >= n
	}
}

// NewRedactor returns a redactor with the default rules, and names that match a regular expression, if it is not nil.
// off disables all rules.
func NewRedactor(names *regexp.Regexp, off bool) *Redactor {
	const secretWord = `pass(?:word|wd|phrase|code)?|pwd|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|` +
		`client[-_]?secret|auth(?:orization)?|session(?:[-_]?id)?|sid|cookie|credentials?|otp|pin|cvv|cvc|jwt|signature|sig`
	r := &Redactor{names: names, off: off}
	add := func(what string, likely func(text, lower string) bool, pattern string, confirm func(string) bool) {
		r.values = append(r.values, rule{what, likely, regexp.MustCompile(pattern), confirm})
	}
	words := having("pass", "pwd", "secret", "token", "key", "auth", "session", "sid", "cookie", "credential", "otp",
		"pin", "cvv", "cvc", "jwt", "sig")
	add("private key", having("private key"), `(?i)-----BEGIN [A-Z0-9 ]*PRIVATE KEY`, nil)
	add("JWT", having("eyj"), `\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}`, nil)
	add("AWS key", having("akia", "asia", "agpa", "aida", "aroa", "anpa", "aipa"),
		`\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|AIPA)[0-9A-Z]{12,}`, nil)
	add("GitHub token", having("gh", "github_pat_"), `\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,})`, nil)
	add("GitLab token", having("glpat-"), `\bglpat-[A-Za-z0-9_-]{12,}`, nil)
	add("Slack token", having("xox", "hooks.slack"), `\bxox[a-z]-[A-Za-z0-9-]{8,}|hooks\.slack\.com/services/`, nil)
	add("payment key", having("sk_", "rk_", "pk_", "whsec_"),
		`\b(?:sk|rk|pk|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{12,}`, nil)
	add("Google key", having("aiza", "ya29.", "gocspx-"),
		`\bAIza[0-9A-Za-z_-]{20,}|\bya29\.[0-9A-Za-z_-]{10,}|\bGOCSPX-`, nil)
	add("API key", having("sk-", "npm_", "sg.", "hvs.", "hvb.", "dop_"), `\bsk-[A-Za-z0-9_-]{16,}|\bnpm_[A-Za-z0-9]{20,}|`+
		`\bSG\.[A-Za-z0-9_-]{10,}|\bhv[sb]\.[A-Za-z0-9_-]{16,}|\bdop_v1_[a-f0-9]{20,}`, nil)
	add("authorization", having("bearer", "basic", "digest", "negotiate", "apikey"),
		`(?i)\b(?:bearer|basic|digest|negotiate|apikey)\s+[A-Za-z0-9+/=._~-]{6,}`, nil)
	add("credentials in an address", having("@"),
		`\b[a-zA-Z][a-zA-Z0-9+.-]*://[^/\s@]*:[^/\s@]*@|\b\w+:[^\s:@/]+@(?:tcp|unix)?\(`, nil)
	add("named secret", words, `(?i)(?:^|[^a-z])(?:[a-z0-9]+[-_.])*(?:`+secretWord+`)(?:[-_.][a-z0-9]+)*["'\]]*\s*`+
		`(?:[=:]|%3d)\s*["'\[]*[^\s"'&;,\]]{3,}`, nil)
	add("named secret", having("<"), `(?i)<(?:`+secretWord+`)[^>]*>[^<]+<`, nil)
	add("AWS signature", having("x-amz-"), `(?i)\bX-Amz-(?:Signature|Credential|Security-Token)=`, nil)
	add("card number", digits(13), `\b[3-6][0-9](?:[ -]?[0-9]){11,17}\b`, isCard)
	add("account number", digits(12), `\b[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b`, isIBAN)
	add("social security number", digits(9), `\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b`, nil)
	add("random text", hasLongWord, `[A-Za-z0-9+/_=-]{32,}`, isRandom)
	return r
}

// hasLongWord reports whether a text has a word that may be a key in base64.
func hasLongWord(text, _ string) bool {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("+/_=-", c) >= 0:
			if n++; n == 32 {
				return true
			}
		default:
			n = 0
		}
	}
	return false
}

// isSecretWord reports whether a word makes a name that of a secret.
func isSecretWord(word string) bool {
	switch word {
	case "password", "passwd", "passwords", "pwd", "pass", "passphrase", "passcode", "secret", "secrets", "token",
		"tokens", "authorization", "auth", "bearer", "cookie", "cookies", "credential", "credentials", "creds",
		"jwt", "cvv", "cvc",
		"ssn", "iban", "otp", "totp", "csrf", "xsrf", "dsn", "pin", "pem", "signature", "apikey", "accesskey", "privatekey",
		"secretkey", "signingkey", "encryptionkey", "masterkey", "sessionid", "session", "sid", "connectionstring", "connstr",
		"cardnumber", "pan", "salt", "nonce", "hmac":
		return true
	}
	return false
}

// name reports whether a name is that of a secret: of a field, parameter, header or key.
func (r *Redactor) name(name string) bool {
	if r.off || name == "" || len(name) > 128 {
		return false
	}
	if r.names != nil && r.names.MatchString(name) {
		return true
	}
	words := words(name)
	for i, w := range words {
		if isSecretWord(w) {
			return true
		}
		if i > 0 && isSecretWord(words[i-1]+w) || i > 1 && isSecretWord(words[i-2]+words[i-1]+w) {
			return true
		}
		if i > 0 && (w == "key" || w == "number") {
			switch words[i-1] {
			case "api", "access", "private", "secret", "signing", "encryption", "master", "license", "ssh", "card", "account":
				return true
			}
		}
	}
	return false
}

// words splits a name into its words, in lower case: ClientSecret, client_secret and X-Client-Secret.
func words(name string) (list []string) {
	var word []rune
	end := func() {
		if len(word) > 0 {
			list = append(list, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) ||
			unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			end()
		}
		word = append(word, r)
	}
	end()
	return list
}

// text returns what kind of secret a text contains, or "".
func (r *Redactor) text(text string) string {
	if r.off || len(text) < 6 || len(text) < 12 && !strings.ContainsAny(text, "=:<@") && !digits(9)(text, "") {
		return "" // too short for any rule
	}
	lower := strings.ToLower(text)
	for i := range r.values {
		rule := &r.values[i]
		if !rule.likely(text, lower) {
			continue
		}
		if rule.confirm == nil {
			if rule.pattern.MatchString(text) {
				return rule.what
			}
			continue
		}
		for _, match := range rule.pattern.FindAllString(text, 64) {
			if rule.confirm(match) {
				return rule.what
			}
		}
	}
	return ""
}

// Secret returns what kind of secret a text contains, or a value with a name is; "" if it looks like none.
func (r *Redactor) Secret(name, text string) string {
	if r.name(name) {
		return r.shown(name)
	}
	return r.text(text)
}

// shown returns a name that is that of a secret, if it is not one itself.
func (r *Redactor) shown(name string) string {
	if len(name) > 40 || r.text(name) != "" {
		return "a named secret"
	}
	return name
}

// isCard reports whether the digits of a text have the check digit of a card number.
func isCard(text string) bool {
	sum, n := 0, 0
	for i := len(text) - 1; i >= 0; i-- {
		d := int(text[i] - '0')
		if d < 0 || d > 9 {
			continue
		}
		if n%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
		n++
	}
	return n >= 13 && n <= 19 && sum%10 == 0
}

// isIBAN reports whether a text has the check digits of an international account number.
func isIBAN(text string) bool {
	text = strings.ReplaceAll(text, " ", "")
	if len(text) < 15 || len(text) > 34 {
		return false
	}
	rest := 0
	for _, c := range text[4:] + text[:4] {
		switch {
		case c >= '0' && c <= '9':
			rest = (rest*10 + int(c-'0')) % 97
		case c >= 'A' && c <= 'Z':
			rest = (rest*100 + int(c-'A') + 10) % 97
		default:
			return false
		}
	}
	return rest == 1
}

// isRandom reports whether a text looks like a key in base64: it has digits and letters of both cases in an order that
// no words have. Hexadecimal digests are not meant.
func isRandom(text string) bool {
	kinds, changes, last := 0, 0, -1
	for _, c := range text {
		kind := 3
		switch {
		case c >= '0' && c <= '9':
			kind = 0
		case c >= 'a' && c <= 'z':
			kind = 1
		case c >= 'A' && c <= 'Z':
			kind = 2
		}
		kinds |= 1 << kind
		if kind != last && last >= 0 {
			changes++
		}
		last = kind
	}
	return kinds&7 == 7 && changes*3 >= len(text)
}
