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
}

func writeDataPage(w io.Writer, p dataPage) error {
	data, err := json.Marshal(p.data) // escapes < and >, so that it may stand inline
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	sum := sha256.Sum256([]byte(p.script))
	csp := "default-src 'none'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	_, err = io.WriteString(w, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"+p.mark+"\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\""+csp+"\">\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"+
		"<meta name=\"color-scheme\" content=\"light dark\">\n"+
		"<title>"+html.EscapeString(clip(printable(p.title), 200))+"</title>\n</head>\n<body>\n"+
		"<noscript>This page is drawn with JavaScript, which is off. It makes no network request; "+p.without+"</noscript>\n"+
		"<script type=\"application/json\" id=\""+p.id+"\">"+string(data)+"</script>\n<script>"+p.script+"</script>\n</body>\n</html>\n")
	if err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}
