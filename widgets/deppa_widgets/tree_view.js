// TreeView: the SVG of reports/trees.py, with what is under the pointer or the cursor brought out.

class TreeView {
  constructor(model, host) {
    this.model = model;
    this.word = 0;
    this.caption = el("div", { class: "notice", "aria-live": "polite" });
    this.canvas = el("div", { class: "canvas" });
    this.root = el("div", {
      class: "deppa deppa-view", tabindex: 0, role: "group", "data-lm-suppress-shortcuts": "true",
      "aria-label": "Dependency tree; arrow keys go from word to word.", onkeydown: (event) => this.key(event),
    }, this.canvas, this.caption);
    host.append(this.root);
    this.changed = () => this.draw();
    model.on("change:svg", this.changed);
    this.resize = new ResizeObserver(() => this.fit());
    this.resize.observe(this.canvas);
    this.draw();
  }
  close() {
    this.model.off("change:svg", this.changed);
    this.resize.disconnect();
  }
  /** Have the lines broken anew where the width has changed. */
  fit() {
    const width = Math.floor(this.canvas.clientWidth);
    if (width > 0 && Math.abs(width - this.model.get("width")) > 8) {
      this.model.set("width", width);
      this.model.save_changes();
    }
  }
  draw() {
    const parsed = new DOMParser().parseFromString(this.model.get("svg"), "image/svg+xml").documentElement;
    this.canvas.replaceChildren(parsed);
    for (const node of parsed.querySelectorAll("[data-word]")) {
      const word = Number(node.dataset.word);
      node.addEventListener("pointerenter", () => this.show(word));
      node.addEventListener("pointerleave", () => this.show(this.word));
      node.addEventListener("click", () => this.show((this.word = word)));
    }
    this.show(this.word);
  }
  key(event) {
    const n = this.model.get("words").length, ahead = this.model.get("rtl") ? -1 : 1;
    const by = { ArrowRight: ahead, ArrowLeft: -ahead, Escape: -this.word }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    event.preventDefault();
    this.word = Math.min(Math.max(this.word + by, 0), n);
    this.show(this.word);
  }
  /** Bring out the arcs of a word and say them; 0 shows all alike. */
  show(word) {
    const said = [], names = ["root", ...this.model.get("words")];
    for (const node of this.canvas.querySelectorAll("[data-word]")) {
      const head = node.dataset.head === undefined ? null : Number(node.dataset.head), own = Number(node.dataset.word);
      const near = !word || own === word || head === word || (head === null && this.isNeighbour(word, own));
      node.style.opacity = near ? "" : "0.18";
      const text = `${names[head]} → ${names[own]}`;
      if (word && head !== null && near && !said.includes(text)) said.push(text);
    }
    this.caption.textContent = said.join("; ");
  }
  isNeighbour(word, other) {
    const arcs = [...this.canvas.querySelectorAll("[data-head]")].map(({ dataset }) => [Number(dataset.head), Number(dataset.word)]);
    return arcs.some(([head, dependent]) => (head === word && dependent === other) || (head === other && dependent === word));
  }
}

export default {
  render({ model, el: host }) {
    const view = new TreeView(model, host);
    return () => view.close();
  },
};
