// After graphics_spy.js: where the tool's axes are drawn. Two of the three, in full strength, are nobody else's colours.

globalThis.toolDrawn = [];
(() => {
  const AXES = [[0.095, 0.694, 0.254], [0.102, 0.361, 1]], HALF_M = 0.05;
  const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w);
  graphics.before("clear", () => { globalThis.toolDrawn = []; });
  graphics.before("drawElements", () => {
    const { diffuse, opacity, modelViewMatrix, projectionMatrix } = graphics.program;
    if (!diffuse || opacity !== 1 || !AXES.some((axis) => axis.every((part, i) => Math.abs(part - diffuse[i]) < 0.01))) return;
    for (const end of [-HALF_M, HALF_M]) {
      const [x, y, , w] = times(projectionMatrix, times(modelViewMatrix, [0, end, 0, 1]));
      toolDrawn.push([(x / w + 1) / 2 * innerWidth, (1 - y / w) / 2 * innerHeight]);
    }
  });
})();
