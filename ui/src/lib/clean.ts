/** Foreign text as it may be shown: control characters and those that reorder the text around them are replaced. */
export function clean(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}
