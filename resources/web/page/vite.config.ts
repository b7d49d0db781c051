import { copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const HANDS = "node_modules/@mediapipe/hands";
/** What the hand tracker loads when it is switched on, all but what browsers without SIMD would need. It has the release in its address, for browsers keep it. */
const HANDS_FOLDER = `/assets/hands-${(JSON.parse(readFileSync(`${HANDS}/package.json`, "utf8")) as { version: string }).version}`;
const HANDS_FILES = [
  "hands.js",
  "hands.binarypb",
  "hand_landmark_full.tflite",
  "hands_solution_packed_assets.data",
  "hands_solution_packed_assets_loader.js",
  "hands_solution_simd_wasm_bin.js",
  "hands_solution_simd_wasm_bin.wasm",
];

/** Serves the hand tracker's models and programs from our own page: nothing is fetched from anywhere else. */
function handTracker(): Plugin {
  return {
    name: "hand-tracker",
    apply: "build",
    writeBundle({ dir = "" }) {
      mkdirSync(join(dir, HANDS_FOLDER), { recursive: true });
      for (const file of HANDS_FILES) copyFileSync(join(HANDS, file), join(dir, HANDS_FOLDER, file));
    },
  };
}

// The built pages go into the Python package beside this folder; the wheel carries them from there.
export default defineConfig({
  base: "/",
  define: { HANDS_FOLDER: JSON.stringify(HANDS_FOLDER) },
  plugins: [handTracker()],
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    // The servers' policies allow no inline scripts, styles or data addresses for code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
    rollupOptions: { input: { index: "index.html", operator: "operator.html" } },
  },
});
