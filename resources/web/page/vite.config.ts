import { defineConfig } from "vite";

// The built pages go into the Python package beside this folder; the wheel carries them from there.
export default defineConfig({
  base: "/",
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
