/** Makes foreign text safe to show, as clean does, but keeps tabs and line ends: it may be source. */
export function plain(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    "\ufffd",
  );
}

/** Makes all texts in a document of JSON safe to show. */
export function plainAll<T>(value: T): T {
  if (typeof value === "string") return plain(value) as T;
  if (Array.isArray(value)) return value.map(plainAll) as T;
  if (typeof value === "object" && value !== null) {
    // Without a prototype: a name may be "__proto__".
    const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [k, v] of Object.entries(value)) out[plain(k)] = plainAll(v as unknown);
    return out as T;
  }
  return value;
}
