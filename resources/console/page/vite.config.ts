import { defineConfig } from "vite";

// The built page goes into the Python package beside this folder; the wheel carries it from there.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    // The server's policy allows no inline scripts, styles or data addresses for code.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
