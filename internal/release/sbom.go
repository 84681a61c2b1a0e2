package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom writes the modules that the binary was built from, as CycloneDX.
func (r *release) sbom(p platform, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	if info.Main.Version != r.tag {
		return fmt.Errorf("%s says that it is %s, not %s", binary, info.Main.Version, r.tag)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: purl(info.Main.Path, info.Main.Version), Type: cdx.ComponentTypeApplication,
			Name: "whet", Version: info.Main.Version, PackageURL: purl(info.Main.Path, info.Main.Version),
			Properties: &[]cdx.Property{{Name: "platform", Value: p.String()}},
		},
	}
	toolchain := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{{
		BOMRef: purl("std", toolchain), Type: cdx.ComponentTypeLibrary,
		Name: "std", Version: toolchain, PackageURL: purl("std", toolchain),
	}}
	for _, m := range info.Deps {
		c := cdx.Component{
			BOMRef: purl(m.Path, m.Version), Type: cdx.ComponentTypeLibrary,
			Name: m.Path, Version: m.Version, PackageURL: purl(m.Path, m.Version),
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
		if err != nil {
			return fmt.Errorf("%s: sum %q: %w", m.Path, m.Sum, err)
		}
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
		components = append(components, c)
	}
	bom.Components = &components
	var b bytes.Buffer
	if err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, r.archiveName(p)+".cdx.json"), b.Bytes(), 0o644)
}

// purl returns the package URL of a Go module.
func purl(path, version string) string { return "pkg:golang/" + path + "@" + version }
