// To be run before the page's own scripts: what its calls of the graphics interface say, also of what is not really drawn.
// `graphics.before(name, note)`: note is called first, with what the call is given. `graphics.program`: the uniforms, by
// their names, of the program in use.

globalThis.graphics = (() => {
  const own = WebGL2RenderingContext.prototype, names = new WeakMap(), said = new WeakMap();
  const spy = {
    program: {},
    before(name, note) {
      const call = own[name];
      own[name] = function (...given) { note(...given); return call.apply(this, given); };
    },
  };
  const named = own.getUniformLocation;
  own.getUniformLocation = function (of, name) {
    const found = named.call(this, of, name);
    if (found !== null) names.set(found, name);
    return found;
  };
  spy.before("useProgram", (next) => {
    if (next !== null && !said.has(next)) said.set(next, {});
    spy.program = next === null ? {} : said.get(next);
  });
  spy.before("uniform3f", (where, ...rgb) => { spy.program[names.get(where)] = rgb; });
  spy.before("uniform1f", (where, value) => { spy.program[names.get(where)] = value; });
  spy.before("uniformMatrix4fv", (where, _, m) => { spy.program[names.get(where)] = Array.from(m); });
  return spy;
})();
