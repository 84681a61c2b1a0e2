import { defineConfig } from "vitest/config";

// One classic script per page, styles and all: Go inlines it, and a policy with
// the script's hash then allows nothing else. Such a script has one entry, so each
// page has a separate build, named by its mode: vite build --mode load.
export default defineConfig(({ mode }) => {
  const pages = new Map([
    ["load", { entry: "src/load.ts", name: "whetLoad", fileName: () => "load.js" }],
    ["bench", { entry: "src/bench.ts", name: "whetBench", fileName: () => "bench.js" }],
    ["benchhistory", { entry: "src/benchhistory.ts", name: "whetBenchHistory", fileName: () => "benchhistory.js" }],
    ["saved", { entry: "src/saved.tsx", name: "whetSaved", fileName: () => "saved.js" }],
    ["timeline", { entry: "src/timeline.ts", name: "whetTimeline", fileName: () => "timeline.js" }],
  ]);
  if (mode === "workbench") {
    // The pages of whet ui: a document with modules, which a server sends. Views load when needed.
    return {
      build: {
        target: "es2022",
        outDir: "dist/app",
        // The document names the modules that its first script imports, so that all of them load at once.
        modulePreload: {
          polyfill: false,
          resolveDependencies: (_, deps, { hostType }) => (hostType === "html" ? deps : []),
        },
        emptyOutDir: true,
        assetsInlineLimit: 0,
        reportCompressedSize: false,
        rollupOptions: { input: ["index.html", "document.html"] },
      },
    };
  }
  const page = pages.get(mode) ?? { entry: "src/flame.ts", name: "whetFlame", fileName: () => "flame.js" };
  return {
    build: {
      target: "es2022",
      modulePreload: false,
      emptyOutDir: page.name === "whetFlame", // the first build's
      lib: { ...page, formats: ["iife"] },
    },
    test: { include: ["src/{lib,texts,state}/**/*.test.ts"], environment: "node" },
  };
});
