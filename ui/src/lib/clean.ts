/** Makes foreign text safe to show: replaces control, zero-width and reordering characters. */
export function clean(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    "\ufffd",
  );
}
