/** Writes the parts of a URL fragment that fill puts: `name=value&name=value`. */
export function writeFragment(fill: (put: (name: string, value: string) => void) => void): string {
  const parts: string[] = [];
  fill((name, value) => parts.push(`${name}=${encodeURIComponent(value)}`));
  return parts.join("&");
}

/** Reads the parts of a fragment; those that are not `name=value` are left out. */
export function readFragment(fragment: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const eq = part.indexOf("=");
    if (eq < 0) continue;
    try {
      parts.set(part.slice(0, eq), decodeURIComponent(part.slice(eq + 1)));
    } catch {
      // Not a fragment of this page.
    }
  }
  return parts;
}
