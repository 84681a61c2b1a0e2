import { describe, expect, it } from "vitest";
import { SvgPen } from "./svg.ts";

describe("a picture as SVG", () => {
  it("has what is drawn, with names as text", () => {
    const pen = new SvgPen((c) => (c === "oklch(1 0 0)" ? "#ffffff" : c));
    pen.font = "12px system-ui";
    pen.fillStyle = "oklch(1 0 0)";
    pen.setTransform();
    pen.name(`main.<b>"x"&\u0000`);
    pen.fillRect(0, 1.23456, 10, 17);
    pen.globalAlpha = 0.5;
    pen.fillText("a<b", 4, 9.5);
    pen.strokeStyle = "red";
    pen.lineWidth = 2;
    pen.strokeRect(1, 2, 3, 4);
    pen.line([[0, 1], [2.345, 3]], true);
    pen.area([[0, 0], [1, 0], [1, 1]]);
    pen.anchor = "end";
    pen.fillText("right", 9, 9);
    const svg = pen.toString(100, 20, "x & y");
    expect(svg).toContain('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="20"');
    expect(svg).toContain("<title>x &amp; y</title>");
    expect(svg).toContain(
      '<rect x="0" y="1.23" width="10" height="17" fill="#ffffff">' +
        "<title>main.&lt;b&gt;&quot;x&quot;&amp;\ufffd</title></rect>",
    );
    expect(svg).toContain('<text x="4" y="9.5" fill="#ffffff" fill-opacity="0.5">a&lt;b</text>');
    expect(svg).toContain('fill="none" stroke="red" stroke-width="2"/>');
    expect(svg).toContain(
      '<polyline points="0,1 2.35,3" fill="none" stroke="red" stroke-width="2" stroke-dasharray="6 4"/>',
    );
    expect(svg).toContain('<polygon points="0,0 1,0 1,1" fill="#ffffff" fill-opacity="0.5"/>');
    expect(svg).toContain('text-anchor="end">right</text>');
    expect(pen.createPattern()).toBeNull();
  });
});
