/** Foreign text as it may be shown: control characters, those without width and those that reorder the text around them are replaced. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, "\ufffd");
}
