// What somebody sees of the page, measured: what covers the picture, what is written and how large.

() => {
  const isPainted = (style) => {
    const alpha = /rgba\(.*, ([\d.]+)\)/.exec(style.backgroundColor);
    return (alpha === null ? style.backgroundColor !== "transparent" : Number(alpha[1]) > 0) || style.backgroundImage !== "none"
      || (style.borderStyle !== "none" && parseFloat(style.borderWidth) > 0);
  };
  const panels = [], texts = [];
  for (const each of document.querySelectorAll(".overlay *")) {
    if (each.closest(".aim, .edge") || !each.checkVisibility({ visibilityProperty: true })) continue;
    const style = getComputedStyle(each), { left, top, right, bottom } = each.getBoundingClientRect();
    if (right <= left || bottom <= top) continue;
    const words = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join("").trim();
    if (words !== "") texts.push({ words, px: parseFloat(style.fontSize), role: each.closest("button, .whose, .question, .drawer, .scale, .pads") ? "label" : "sentence" });
    if (words !== "" || isPainted(style) || each.tagName === "INPUT") panels.push({ name: each.className || each.tagName, left, top, right, bottom });
  }
  const STEP = 2;
  const across = Math.ceil(innerWidth / STEP), down = Math.ceil(innerHeight / STEP), covered = new Uint8Array(across * down);
  for (const { left, top, right, bottom } of panels) {
    for (let y = Math.max(0, Math.floor(top / STEP)); y < Math.min(down, bottom / STEP); y++) {
      for (let x = Math.max(0, Math.floor(left / STEP)); x < Math.min(across, right / STEP); x++) covered[y * across + x] = 1;
    }
  }
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.backgroundColor = "var(--next)";
  const next = getComputedStyle(probe).backgroundColor;
  probe.remove();
  const prominent = [...document.querySelectorAll(".overlay button")]
    .filter((each) => each.checkVisibility() && getComputedStyle(each).backgroundColor === next).map((each) => each.textContent);
  // A control whose middle takes no finger: it lets it through, or something lies over it.
  const deaf = [...document.querySelectorAll(".overlay :is(button, input, [aria-label])")].filter((each) => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    if (each.disabled || right <= left || bottom <= top || !each.checkVisibility({ visibilityProperty: true })) return false;
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return hit === null || !each.contains(hit);
  }).map((each) => each.className || each.tagName);
  return { covered: covered.reduce((sum, each) => sum + each, 0) / covered.length, panels, texts, tool: globalThis.toolDrawn, prominent, deaf,
    outside: panels.filter(({ left, top, right, bottom }) => left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1).map(({ name }) => name) };
}
