package main

const pages = `{{define "list"}}<!doctype html>
<title>{{.Title}}</title>
{{template "head" .}}
<table>
{{range .Wares}}{{template "ware" .}}{{else}}<tr><td>nothing</td></tr>{{end}}
</table>
{{end}}
{{define "head"}}<h1>{{.Title}}{{if .Group}} of {{.Group}}{{end}}</h1>{{end}}
{{define "ware"}}<tr>
<td>{{.Name}}</td><td>{{printf "%.2f" .Price}}</td>
<td>{{with .Colours}}{{range .}}<i style="color: {{.}}">{{.}}</i> {{end}}{{end}}</td>
<td>{{if .Sold}}sold{{else}}<a href="/buy?name={{.Name}}">buy</a>{{end}}</td>
</tr>
{{end}}
`
