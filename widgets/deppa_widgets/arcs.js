// Words in lines with arcs above them. Joined before the sources of widgets that draw.

const FORM = 17, RISE = 19, GAP = 22, NARROW = 11, EDGE = 40, PORT = 7;
const context = document.createElement("canvas").getContext("2d");

function widthOf(text, size, weight = "") {
  context.font = `${weight} ${size}px system-ui, sans-serif`;
  return context.measureText(text).width;
}

/** Where words stand: lines of [first, last], the middle of each word, and how wide it is. */
function placed(words, notes, width) {
  const wide = words.map((word, i) => Math.max(widthOf(word, FORM, "bold") + 8, widthOf(notes[i], 11), 26));
  const total = (gap) => wide.reduce((sum, w) => sum + w + gap, -gap);
  if (total(NARROW) + 2 * NARROW <= width) {
    const gap = Math.min(GAP, (width - 2 * NARROW - total(0)) / Math.max(words.length - 1, 1));
    return { ...broken(wide, gap, NARROW, width), width: total(gap) + 2 * NARROW };
  }
  const lines = broken(wide, GAP, EDGE, width).lines.length;
  let room = Math.min(width, total(GAP) / lines + 2 * EDGE); // lines of about the same length
  while (room < width && broken(wide, GAP, EDGE, room).lines.length > lines) room += 20;
  room = Math.min(room, width);
  const found = broken(wide, GAP, EDGE, room);
  return { ...found, width: Math.max(room, ...found.lines.map(([, last]) => found.middle[last] + wide[last - 1] / 2 + EDGE)) };
}

function broken(wide, gap, edge, width) {
  const lines = [], middle = [];
  let x = edge, first = 1;
  wide.forEach((w, i) => {
    if (x + w > width - edge + 1 && i + 1 > first) {
      lines.push([first, i]);
      first = i + 1;
      x = edge;
    }
    middle[i + 1] = x + w / 2;
    x += w + gap;
  });
  lines.push([first, wide.length]);
  return { lines, middle, wide: [0, ...wide] };
}

/** What of the arcs is on one line, each above those it contains. */
function parts(arcs, [first, last]) {
  const found = [];
  for (const arc of arcs) {
    const inside = [arc.head, arc.word].map((m) => m >= first && m <= last);
    if (!(inside[1] || (inside[0] && arc.head > 0))) continue;
    const ends = [arc.head || arc.word, arc.word].map((m) => Math.min(Math.max(m, first - 1), last + 1));
    found.push({ ...arc, low: Math.min(...ends), high: Math.max(...ends), hasHead: inside[0], hasWord: inside[1], port: {} });
  }
  const meets = (part, m) => part.low === m || part.high === m;
  const span = (part) => part.high - part.low;
  const order = (part) => span(part) || Math.max(...found.map((other) => (meets(other, part.low) ? span(other) : 0))) + 0.5;
  found.sort((a, b) => order(a) - order(b)); // the root's arrow comes after the arcs at its word
  found.forEach((part, k) => {
    const stub = part.low === part.high;
    const taken = new Set();
    let under = 0;
    for (const other of found.slice(0, k)) {
      const apart = stub ? other.high < part.low || other.low > part.high : other.high <= part.low || other.low >= part.high;
      if (apart) continue;
      const contained = part.low <= other.low && other.high <= part.high;
      if (contained || stub) under = Math.max(under, other.level);
      else taken.add(other.level);
    }
    part.level = under + 1;
    while (taken.has(part.level)) part.level++;
  });
  return found;
}

/** Put the legs at each word side by side: what is shorter leaves further out, so that legs cross no bar. */
function spread(found, place) {
  const legs = new Map();
  for (const part of found) {
    for (const m of new Set([part.hasHead && part.head, part.hasWord && part.word])) {
      if (!m) continue;
      const side = part.low === part.high ? 0 : part.low === m ? 1 : -1;
      legs.set(m, [...(legs.get(m) ?? []), { part, order: side && side * (1000 - part.level) }]);
    }
  }
  for (const [m, some] of legs) {
    some.sort((a, b) => a.order - b.order);
    const step = Math.min(PORT, (place.wide[m] + 4) / some.length);
    some.forEach(({ part }, k) => (part.port[m] = (k - (some.length - 1) / 2) * step));
  }
}

/** The path of a part of an arc from the head's side to the word's, and where its tip and label are. */
function curve(part, place, foot) {
  const bar = foot - part.level * RISE;
  const end = (m) => place.middle[m] + part.port[m];
  if (part.head === 0) {
    const at = end(part.word);
    return { path: `M${at} ${bar}V${foot - 4}`, tip: at, label: [at, bar - 4] };
  }
  const near = part.hasHead === part.hasWord ? null : part.low < (part.hasWord ? part.word : part.head) ? 10 : place.width - 10;
  const from = part.hasHead ? end(part.head) : near, to = part.hasWord ? end(part.word) : near;
  const bend = Math.min(12, Math.abs(from - to) / 2) * Math.sign(to - from);
  const first = part.hasHead ? `M${from} ${foot}V${bar + 8}Q${from} ${bar} ${from + bend} ${bar}` : `M${from} ${bar}`;
  const last = part.hasWord ? `H${to - bend}Q${to} ${bar} ${to} ${bar + 8}V${foot - 4}` : `H${to}`;
  return { path: first + last, tip: part.hasWord ? to : null, label: [(from + to) / 2, bar - 4] };
}

/**
 * Draw words and arcs.
 * notes: under the words; arcs: {head, word, kind, p, label}; mirrored: from right to left;
 * word(m): {classes, badge, says, why}: how a word looks, its key, what is said of it, why it is dim.
 */
function drawing({ words, notes, arcs, mirrored, width, word, press, id }) {
  const place = placed(words, notes, width);
  const flip = (x) => (mirrored ? place.width - x : x);
  const svg = el("svg", { class: "deppa-tree", role: "group", "aria-label": words.join(" ") });
  const isTagged = notes.some(Boolean);
  let top = 6;
  for (const line of place.lines) {
    const here = parts(arcs, line);
    spread(here, place);
    const foot = top + Math.max(10, Math.max(0, ...here.map((part) => part.level)) * RISE + 16);
    for (const part of here) {
      const { path, tip, label } = curve(part, place, foot);
      const group = el("g", { class: `arc ${part.kind}`, "data-head": part.head, "data-word": part.word });
      const opacity = part.p == null ? null : 0.35 + 0.65 * part.p; // of lines; text is always to be read
      const shape = el("path", { d: path, class: "bow", opacity });
      if (mirrored) shape.setAttribute("transform", `translate(${place.width} 0) scale(-1 1)`);
      group.append(shape);
      if (tip != null) group.append(el("path", { class: "tip", d: `M${flip(tip)} ${foot + 1}l-4 -8h8z`, opacity }));
      const text = part.hasWord ? part.label || (part.head ? "" : "root") : "";
      if (text) group.append(el("text", { class: "label", x: flip(label[0]), y: label[1], "text-anchor": "middle" }, text));
      if (part.head && part.hasHead !== part.hasWord) {
        const other = part.hasWord ? part.head : part.word;
        const left = (other < (part.hasWord ? part.word : part.head)) !== mirrored;
        const x = left ? 2 : place.width - 2;
        const y = foot - part.level * RISE - 4;
        group.append(el("text", { class: "away", x, y, "text-anchor": left ? "start" : "end" }, `${other} ${words[other - 1]}`.slice(0, 12)));
      }
      svg.append(group);
    }
    let hasBadge = false;
    for (let m = line[0]; m <= line[1]; m++) {
      const { classes, badge, says, why } = word(m);
      hasBadge ||= Boolean(badge);
      const x = flip(place.middle[m]), w = place.wide[m];
      const group = el("g", { class: `word ${classes}`, id: `${id}-${m}`, role: "button", "data-word": m, "aria-label": says });
      group.addEventListener("click", () => press(m));
      if (why) group.append(el("title", {}, why));
      group.append(
        el("rect", { class: "box", x: x - w / 2 - 4, y: foot + 3, width: w + 8, height: 26, rx: 6 }),
        el("text", { class: "form", x, y: foot + 21 }, words[m - 1]),
        el("text", { class: "tag", x, y: foot + 43 }, notes[m - 1]),
      );
      const under = foot + (isTagged ? 62 : 48);
      if (badge) {
        group.append(
          el("rect", { class: "key", x: x - 9, y: under - 13, width: 18, height: 18, rx: 5 }),
          el("text", { class: "digit", x, y: under }, badge),
        );
      }
      svg.append(group);
    }
    top = foot + 36 + (isTagged ? 12 : 0) + (hasBadge ? 30 : 0);
  }
  svg.setAttribute("width", place.width);
  svg.setAttribute("height", top);
  svg.setAttribute("viewBox", `0 0 ${place.width} ${top}`);
  return svg;
}
