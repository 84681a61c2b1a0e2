import { describe, expect, it } from "vitest";
import { editorAddress } from "./editor.ts";

const editor = { address: "vscode://file/work/shop/{file}:{line}", dir: "/work/shop", module: "example.com/shop" };

describe("editorAddress", () => {
  it.each([
    ["a/b.go", 7, "vscode://file/work/shop/a/b.go:7"],
    ["a b/$&#.go", 0, "vscode://file/work/shop/a%20b/%24%26%23.go:1"],
    ["/work/shop/a/b.go", 2, "vscode://file/work/shop/a/b.go:2"],
    ["example.com/shop/a/b.go", 2, "vscode://file/work/shop/a/b.go:2"],
    ["", 1, ""],
    ["/work/shopping/a.go", 1, ""],
    ["/work/shop/../a.go", 1, ""],
    ["/etc/passwd", 1, ""],
    ["../a.go", 1, ""],
    ["a/../../b.go", 1, ""],
    ["C:/a.go", 1, ""],
    ["a\\b.go", 1, ""],
  ])("%s:%d", (file, line, want) => {
    expect(editorAddress(editor, file, line)).toBe(want);
  });
  it.each([
    ["net/http/server.go", ""],
    ["/work/shop/a/b.go", "vscode://file/work/shop/a/b.go:3"],
    ["example.com/shop/a/b.go", "vscode://file/work/shop/a/b.go:3"],
  ])("%s, which may be of another module", (file, want) => {
    expect(editorAddress(editor, file, 3, false)).toBe(want);
  });
  it("needs an editor", () => {
    expect(editorAddress(undefined, "a.go", 1)).toBe("");
  });
});
