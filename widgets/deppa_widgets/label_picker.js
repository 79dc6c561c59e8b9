// LabelPicker: which label has this word?

const HELP = [
  ["1–9, click", "the label with this key"],
  ["l or Enter", "any label, by its first letters"],
  ["↑ ↓ ← →", "the word before, the next one"],
  ["Backspace", "clear the label"],
  ["u, Ctrl+Z", "undo"],
  ["U, Ctrl+Y, Ctrl+Shift+Z", "redo"],
  ["s", "skip: no answer"],
  ["S", "what was skipped is asked now"],
  ["f", "unsure: the label is doubtful, or there is none"],
  ["?", "this help"],
  ["Tab", "leave"],
];

class LabelPicker extends Asking {
  constructor(model, host) {
    super(model, host, { name: "labels", what: "label", title: "Label picker", help: HELP, hint: () => "Press the label's number, or l and its first letters. ? shows all keys." });
    this.keys.append(
      this.button("Undo", "u", "take back the last answer", () => this.undo("undo")),
      this.button("Redo", "U", "do it again", () => this.undo("redo")),
      this.button("Skip", "s", "no answer", () => this.pass("skip")),
      this.button("Ask skipped", "S", "what was skipped is asked now", () => this.askSkipped()),
      this.button("Unsure", "f", "the label is doubtful", () => this.pass("unsure")),
      this.button("Other label", "l", "by its first letters", () => this.open()),
      this.button("Help", "?", "all keys", () => this.toggleHelp()));
    this.start();
  }
  value(m, task = this.task) {
    const given = this.said.label.get(this.wordKey(m, task));
    const own = task.labels[m];
    return given !== undefined ? given : own === "_" ? null : own;
  }
  isGiven(task, m) {
    return this.value(m, task) != null;
  }
  isOpen(task, m) {
    return !this.isGiven(task, m) && !this.isPassed(m, task);
  }
  give(label, how, task = this.task, token = this.token) {
    if (!this.mayAnswer()) return;
    this.say(`${this.name(token, task)}: ${label}`);
    this.page.act([this.event("label", token, { old: this.value(token, task), new: label, how }, task)]);
    this.next();
  }
  clear() {
    if (!this.mayAnswer()) return;
    const old = this.value(this.token);
    if (old == null) return this.say("There is nothing to clear.");
    this.say("Cleared.");
    this.page.act([this.event("label", this.token, { old, new: null, how: "key" })]);
  }
  open() {
    if (!this.mayAnswer()) return;
    const { task, token } = this;
    this.panel.dataset.shows = "labels";
    this.panel.hidden = false;
    const take = (label) => (this.closePanel(), this.give(label, "key", task, token));
    labelPanel(this.panel, `Label of ${this.name(token)}`, this.options.names, { take, leave: () => this.closePanel() });
  }
  acts() {
    const ahead = this.task?.rtl ? -1 : 1;
    const digits = this.options.names.slice(0, 9).map((name, k) => [k + 1, () => this.give(name, "key")]);
    return {
      ...Object.fromEntries(digits), ArrowLeft: () => this.step(-ahead), ArrowRight: () => this.step(ahead),
      Enter: () => this.open(), l: () => this.open(), f: () => this.pass("unsure"), Backspace: () => this.clear(),
    };
  }
  drawTask() {
    const { task, token } = this, now = this.value(token);
    this.question.replaceChildren("Which label has ", el("b", {}, task.words[token - 1]), "?", el("span", { class: "now" }, now ? `now ${now}` : ""));
    const word = (m) => ({
      classes: [m === token && "active", this.said.label.get(this.wordKey(m)) && "given", this.asked(task).includes(m) && this.isOpen(task, m) && "asked"].filter(Boolean).join(" "),
      says: `${m} ${task.words[m - 1]}, ${this.value(m) ?? "no label"}`,
    });
    const press = (m) => (this.asked(task).includes(m) ? this.go([this.at[0], m]) : this.say("This word is not asked for."));
    const notes = task.words.map((_, i) => this.value(i + 1) ?? "");
    this.canvas.replaceChildren(drawing({ words: task.words, notes, arcs: [], mirrored: task.rtl, width: this.canvas.clientWidth || 800, id: this.page.name, word, press }));
    this.root.setAttribute("aria-activedescendant", `${this.page.name}-${token}`);
    const names = this.options.names.slice(0, 9);
    this.choices.replaceChildren(...names.map((name, k) => this.chip(k + 1, name, null, now === name, () => this.give(name, "click"))));
  }
}

export default {
  render({ model, el: host }) {
    const picker = new LabelPicker(model, host);
    return () => picker.close();
  },
};
