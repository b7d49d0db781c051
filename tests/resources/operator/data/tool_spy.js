// To be run before the page's own scripts: where the tool's axes are drawn, as the calls of the graphics interface say,
// also of what is not really drawn. Two of the three, in full strength, are nobody else's colours.

globalThis.toolDrawn = [];
(() => {
  const own = WebGL2RenderingContext.prototype, names = new WeakMap(), said = new WeakMap();
  let program = {};
  const before = (name, note) => {
    const call = own[name];
    own[name] = function (...given) { note(...given); return call.apply(this, given); };
  };
  const named = own.getUniformLocation;
  own.getUniformLocation = function (of, name) {
    const found = named.call(this, of, name);
    if (found !== null) names.set(found, name);
    return found;
  };
  before("useProgram", (next) => {
    if (next !== null && !said.has(next)) said.set(next, {});
    program = next === null ? {} : said.get(next);
  });
  const keep = (where, value) => { program[names.get(where)] = value; };
  before("uniform3f", (where, ...rgb) => keep(where, rgb));
  before("uniform1f", (where, value) => keep(where, value));
  before("uniformMatrix4fv", (where, _, m) => keep(where, Array.from(m)));
  before("clear", () => { globalThis.toolDrawn = []; });
  const AXES = [[0.095, 0.694, 0.254], [0.102, 0.361, 1]], HALF_M = 0.05;
  const times = (m, [x, y, z, w]) => [0, 1, 2, 3].map((row) => m[row] * x + m[4 + row] * y + m[8 + row] * z + m[12 + row] * w);
  before("drawElements", () => {
    const { diffuse, opacity, modelViewMatrix, projectionMatrix } = program;
    if (!diffuse || opacity !== 1 || !AXES.some((axis) => axis.every((part, i) => Math.abs(part - diffuse[i]) < 0.01))) return;
    for (const end of [-HALF_M, HALF_M]) {
      const [x, y, , w] = times(projectionMatrix, times(modelViewMatrix, [0, end, 0, 1]));
      toolDrawn.push([(x / w + 1) / 2 * innerWidth, (1 - y / w) / 2 * innerHeight]);
    }
  });
})();
