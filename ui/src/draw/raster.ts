/** A function that gives CSS colors as #rrggbb, which programs know that do not know all of CSS. */
export function hexColors(): (css: string) => string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const ctx = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map<string, string>();
  return (css) => {
    let hex = known.get(css);
    if (hex === undefined && ctx) {
      ctx.fillStyle = css;
      ctx.fillRect(0, 0, 1, 1);
      const [r, g, b] = ctx.getImageData(0, 0, 1, 1).data;
      hex = `#${[r, g, b].map((v) => (v ?? 0).toString(16).padStart(2, "0")).join("")}`;
      known.set(css, hex);
    }
    return hex ?? css;
  };
}

/** Longest side of a picture, in pixels: browsers refuse larger canvases. */
const most = 8000;

/** An SVG picture as PNG, at twice its size where that is possible. */
export async function png(svg: string, ground: string): Promise<Blob | null> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const scale = Math.min(2, most / Math.max(image.naturalWidth, image.naturalHeight, 1));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(image.naturalWidth * scale));
    canvas.height = Math.max(1, Math.round(image.naturalHeight * scale));
    const ctx = canvas.getContext("2d");
    if (!ctx) return null;
    ctx.fillStyle = ground;
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => canvas.toBlob(done));
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The charts of a page below each other as a PNG picture, each with its title and the names of its lines. */
export async function chartsPng(root: HTMLElement, ground: string, ink: string): Promise<Blob | null> {
  const ratio = Math.max(1, Math.min(2, devicePixelRatio));
  const margin = 16 * ratio;
  const line = 22 * ratio;
  const drawn = [...root.querySelectorAll("section")].flatMap((s) => {
    const canvas = s.querySelector<HTMLCanvasElement>(".chart canvas");
    return canvas && canvas.width > 0 ? [{ s, canvas }] : [];
  });
  if (drawn.length === 0) return null;
  const picture = document.createElement("canvas");
  picture.width = Math.max(...drawn.map((d) => d.canvas.width)) + 2 * margin;
  picture.height = Math.min(drawn.reduce((n, d) => n + d.canvas.height + 2 * line + margin, margin), 4 * most);
  const ctx = picture.getContext("2d");
  if (!ctx) return null;
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.textBaseline = "middle";
  let y = margin;
  for (const { s, canvas } of drawn) {
    ctx.fillStyle = ink;
    ctx.font = `600 ${14 * ratio}px system-ui, sans-serif`;
    ctx.fillText(s.querySelector("h2")?.textContent ?? "", margin, y + line / 2);
    ctx.font = `${12 * ratio}px system-ui, sans-serif`;
    let x = margin;
    for (const series of s.querySelectorAll(".u-series")) {
      const marker = series.querySelector<HTMLElement>(".u-marker");
      const name = series.querySelector(".u-label")?.textContent ?? "";
      if (!marker || !name || marker.offsetWidth === 0) continue;
      const style = getComputedStyle(marker);
      ctx.fillStyle = parseFloat(style.borderTopWidth) > 0 ? style.borderTopColor : style.backgroundColor;
      ctx.fillRect(x, y + 1.5 * line - 5 * ratio, 10 * ratio, 10 * ratio);
      ctx.fillStyle = ink;
      ctx.fillText(name, x + 14 * ratio, y + 1.5 * line);
      x += ctx.measureText(name).width + 30 * ratio;
    }
    ctx.drawImage(canvas, margin, y + 2 * line);
    y += canvas.height + 2 * line + margin;
  }
  return new Promise((done) => picture.toBlob(done));
}

/**
 * What an element shows as a PNG picture: its canvases, and the text of its other elements where it is. What is
 * scrolled out of sight is not drawn.
 */
export async function viewPng(root: HTMLElement, ground: string): Promise<Blob | null> {
  const ratio = Math.max(1, Math.min(2, devicePixelRatio));
  const frame = root.getBoundingClientRect();
  const picture = document.createElement("canvas");
  picture.width = Math.min(Math.round(frame.width * ratio), most);
  picture.height = Math.min(Math.round(frame.height * ratio), most);
  const ctx = picture.getContext("2d");
  if (!ctx || picture.width === 0 || picture.height === 0) return null;
  ctx.fillStyle = ground;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.scale(ratio, ratio);
  ctx.translate(-frame.left, -frame.top);
  for (const canvas of root.querySelectorAll("canvas")) {
    const box = canvas.getBoundingClientRect();
    if (box.width > 0 && box.height > 0) ctx.drawImage(canvas, box.left, box.top, box.width, box.height);
  }
  ctx.textBaseline = "middle";
  const range = document.createRange();
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const el = node.parentElement;
    const text = node.textContent?.trim();
    if (!el || !text || !el.checkVisibility()) continue;
    range.selectNodeContents(node);
    const at = range.getBoundingClientRect();
    const style = getComputedStyle(el);
    if (at.width <= 1 || at.bottom < frame.top || at.top > frame.bottom) continue;
    const within = el.getBoundingClientRect();
    ctx.save();
    ctx.beginPath();
    ctx.rect(within.left, within.top, within.width, within.height);
    ctx.clip();
    ctx.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
    ctx.fillStyle = style.color;
    ctx.fillText(text, at.left, at.top + at.height / 2);
    ctx.restore();
  }
  return new Promise((done) => picture.toBlob(done));
}
