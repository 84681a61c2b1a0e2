import type { FlameTexts } from "./flame.ts";

export const texts: FlameTexts = {
  "kind.own": "自有代码",
  "kind.std": "标准库",
  "kind.dep": "依赖",
  "kind.other": "其他",
  all: "全部",
  rest: "{n} 个更小的",
  ofall: "{value}（占全部的 {share}）",
  of: "占 {name} 的 {share}",
  selfvalue: "自身 {value}",
  total: "总计",
  self: "自身",
  ofzoomed: "占放大部分",
  "note.kind": "kind: own、std、dep 或 other",
  "note.literal": "不是正则表达式：按字面文本搜索",
  picture: "火焰图。方向键在各帧之间移动，Enter 放大，Escape 缩小。表格列出了相同的帧。",
};
