package report

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
)

// A dataPage is an HTML file of data and the one script that draws it.
type dataPage struct {
	mark, id, title, script, without string
	data                             any
	served                           bool // by a server, which the script may ask
}

// policy is the content security policy of the page: nothing but its script.
func (p dataPage) policy() string {
	sum := sha256.Sum256([]byte(p.script))
	policy := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if p.served {
		policy += "; connect-src 'self'"
	}
	return policy
}

func writeDataPage(w io.Writer, p dataPage) error {
	data, err := json.Marshal(p.data) // escapes < and >, so that it may stand inline
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	network := "It makes no network request; "
	if p.served {
		network = "It asks nobody but the server that it is from; "
	}
	_, err = io.WriteString(w, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+p.mark+"\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+p.policy()+"\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta name=\"color-scheme\" content=\"light dark\">\n"+
		"<title>"+html.EscapeString(clip(printable(p.title), 200))+"</title>\n</head>\n<body>\n"+
		"<noscript>This page is drawn with JavaScript, which is off. "+network+p.without+"</noscript>\n"+
		"<script type=\"application/json\" id=\""+p.id+"\">"+string(data)+"</script>\n<script>"+p.script+"</script>\n</body>\n</html>\n")
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
