// RoundPanel: progress, cost, the learning curve.

function panel(model, host) {
  const facts = el("div", { class: "facts" }), chart = el("div", { class: "chart" });
  const where = el("div", { class: "log" });
  const go = () => {
    model.send({ kind: "next" });
    backToQuestion(root); // keys are meant for it
  };
  const next = el("button", { type: "button", title: "the questions that are left can still be answered", onclick: go }, "Other questions");
  const root = el("div", { class: "deppa deppa-panel", role: "region", "aria-label": "Progress", "data-lm-suppress-shortcuts": "true" }, facts, chart, next, where);
  const draw = () => {
    const info = model.get("info");
    const fact = (value, name, title = "") => el("div", { class: "fact", title }, el("b", {}, value), el("span", {}, name));
    const given = [[info.heads, "heads given in all"], [info.labels, "labels given in all"], [info.choices, "trees compared in all"], [info.skipped, "skipped in all"]].filter(([n], k) => n || (k === 0 && !info.choices && !info.labels));
    facts.replaceChildren(
      fact(String(info.round), "round"),
      fact(String(info.left), "questions left"),
      ...given.map(([n, name]) => fact(String(n), name)),
      fact(info.seconds == null ? "–" : `${info.seconds} s`, "an answer", "pauses over a minute and hidden pages are left out"),
      fact(info.minutes == null ? "–" : info.minutes < 1 ? "<1 min" : `${Math.round(info.minutes)} min`, "left in this round"),
      fact(info.learns ? "…" : "✓", info.learns ? "the parser learns" : "next questions ready"),
    );
    chart.replaceChildren(curve(info.curve));
    where.textContent = `Every answer is in ${info.log}`;
  };
  model.on("change:info", draw);
  host.append(root);
  draw();
  return () => model.off("change:info", draw);
}

/** Give the focus to the nearest widget that asks. */
function backToQuestion(from) {
  const asks = '.deppa[role="application"]';
  let near = from;
  while (near && !near.querySelector(asks)) near = near.parentElement;
  near?.querySelector(asks).focus({ preventScroll: true });
}

/** UAS over answers; one point is no line yet. */
function curve(points) {
  if (!points.length) return el("span", { class: "none" }, "");
  const W = 230, H = 64, L = 6, R = 58;
  const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
  const [low, high, last] = [Math.min(...ys), Math.max(...ys), Math.max(...xs, 1)];
  const x = (n) => L + ((W - L - R) * (n - xs[0])) / Math.max(last - xs[0], 1);
  const y = (v) => H - 18 - (H - 30) * (high > low ? (v - low) / (high - low) : 0.5);
  const line = points.map(([n, v], k) => `${k ? "L" : "M"}${x(n)} ${y(v)}`).join("");
  const [n, v] = points.at(-1);
  return el("svg", { width: W, height: H, role: "img", "aria-label": `Right heads on development sentences: ${ys.map((y) => y.toFixed(1)).join(", ")} percent` },
    el("path", { d: line, class: "curve" }), ...points.map(([a, b]) => el("circle", { cx: x(a), cy: y(b), r: 2.5, class: "dot" })),
    el("text", { x: x(n) + 6, y: y(v) + 4, class: "now" }, `${v.toFixed(1)} %`), el("text", { x: L, y: H - 3, class: "axis" }, `right heads, over ${n} answers`));
}

export default { render: ({ model, el: host }) => panel(model, host) };
