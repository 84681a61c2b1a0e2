// Fails if the script and the style of the first view are larger than a slow network can stand.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const limit = 150_000; // bytes, compressed
const dir = "dist/app";
const page = readFileSync(join(dir, "index.html"), "utf8");
const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map((m) => m[1]);

// What the entry imports statically comes with it.
const all = new Set();
const add = (file) => {
  if (all.has(file)) return;
  all.add(file);
  if (!file.endsWith(".js")) return;
  const text = readFileSync(join(dir, file), "utf8");
  for (const m of text.matchAll(/(?:from|^import)\s*"\.\/([^"]+\.js)"/gm)) add(`/assets/${m[1]}`);
};
files.forEach(add);
if (all.size === 0) throw new Error(`${dir}/index.html has no script`);

let sum = 0;
for (const f of all) sum += gzipSync(readFileSync(join(dir, f))).length;
console.log(`first view: ${[...all].length} files, ${sum} bytes compressed (at most ${limit})`);
if (sum > limit) process.exit(1);
