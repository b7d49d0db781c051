// What draws: a graphics chip, or the processor, which cannot afford fine pictures beside reading hands.

const PROCESSOR = /swiftshader|llvmpipe|software|basic render/i;
/** With pixels as small as these nobody sees a step. */
const FINE = 2;
/** Pixels of a session for each of the device's, where the processor draws. */
const COARSE = 0.6;

export interface Graphics {
  /** Edges are smoothed. */
  readonly smooth: boolean;
  /** At the most so many pixels of a session for each of the device's. */
  readonly sessionPixels: number;
}

export function graphics(): Graphics {
  const gl = document.createElement("canvas").getContext("webgl");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = gl === null ? "" : String(gl.getParameter(told?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER));
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  const byProcessor = PROCESSOR.test(name);
  return { smooth: !byProcessor && devicePixelRatio < FINE, sessionPixels: byProcessor ? COARSE : 1 };
}
