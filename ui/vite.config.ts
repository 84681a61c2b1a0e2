import { defineConfig } from "vitest/config";

// One classic script per page, styles and all: Go inlines it, and a policy with
// the script's hash then allows nothing else.
export default defineConfig({
  build: {
    target: "es2022",
    modulePreload: false,
    lib: { entry: "src/flame.ts", formats: ["iife"], name: "whetFlame", fileName: () => "flame.js" },
  },
  test: { include: ["src/lib/**/*.test.ts"], environment: "node" },
});
