// TreeChoice: A, B, or neither is better.

const HELP = [
  ["a, b", "the tree above the words is better, or the one below"],
  ["= or 0", "neither, or I do not know"],
  ["← →", "look at another word that differs"],
  ["↑ ↓", "the question before, the next one"],
  ["u, Ctrl+Z", "undo"],
  ["U, Ctrl+Y, Ctrl+Shift+Z", "redo"],
  ["s", "skip: no answer"],
  ["S", "what was skipped is asked now"],
  ["?", "this help"],
  ["Tab", "leave"],
];

class TreeChoice extends Asking {
  constructor(model, host) {
    super(model, host, { name: "choice", what: "tree", title: "Which tree is better", help: HELP, hint: () => "Press a, b or = . ? shows all keys." });
    this.differ = el("ul", { class: "differ" });
    this.canvas.after(this.differ);
    this.keys.append(
      this.button("Undo", "u", "take back the last answer", () => this.undo("undo")),
      this.button("Redo", "U", "do it again", () => this.undo("redo")),
      this.button("Skip", "s", "no answer", () => this.pass("skip")),
      this.button("Ask skipped", "S", "what was skipped is asked now", () => this.askSkipped()),
      this.button("Help", "?", "all keys", () => this.toggleHelp()));
    this.start();
  }
  asked() {
    return [null]; // the sentence as a whole
  }
  chosen(task) {
    return this.said.tree.get(`${this.wordKey(null, task)}\t${JSON.stringify(task.trees)}`);
  }
  isGiven(task) {
    return this.chosen(task) !== undefined;
  }
  isOpen(task) {
    return !this.isGiven(task) && !this.isPassed(null, task);
  }
  choose(choice, how) {
    if (!this.mayAnswer()) return;
    const { task } = this;
    this.say(choice === "equal" ? "Neither." : `${choice} is better.`);
    this.page.act([this.event("tree", null, { new: choice, old: this.chosen(task) ?? null, trees: task.trees, how })]);
    this.next();
  }
  acts() {
    const keys = { a: "A", A: "A", 1: "A", b: "B", B: "B", 2: "B", "=": "equal", 0: "equal" };
    const choices = Object.entries(keys).map(([key, choice]) => [key, () => this.choose(choice, "key")]);
    return { ...Object.fromEntries(choices), ArrowLeft: () => this.look(-1), ArrowRight: () => this.look(1) };
  }
  /** Scroll to a word that differs, with its arcs above and below. */
  look(by) {
    if (!this.task) return;
    const [a, b] = this.task.trees, differ = [...a.keys()].filter((i) => a[i] !== b[i]);
    this.looked = Math.min(Math.max(this.looked + by, 0), differ.length - 1);
    const box = this.canvas.querySelector(`text[data-word="${differ[this.looked] + 1}"]`).getBoundingClientRect(), seen = this.canvas.getBoundingClientRect();
    this.canvas.scrollTop += box.top + box.height / 2 - seen.top - seen.height / 2;
  }
  drawTask() {
    const { task } = this, chosen = this.chosen(task);
    this.question.replaceChildren("Which tree is better: ", el("b", { class: "a" }, "A"), " above the words, or ", el("b", { class: "b" }, "B"), " below?");
    const [, svg] = task.pictures.findLast(([width]) => width <= 1.25 * this.canvas.clientWidth) ?? task.pictures[0];
    if (svg !== this.svg || !this.canvas.firstChild) {
      this.canvas.replaceChildren(new DOMParser().parseFromString((this.svg = svg), "image/svg+xml").documentElement);
      this.looked = 0;
      this.look(0);
    }
    this.differ.replaceChildren(...task.differ.map(([word, a, b]) => el("li", {}, el("i", {}, word), ` depends on ${a} in A, on ${b} in B`)));
    const all = [["a", "A", "A is better"], ["b", "B", "B is better"], ["=", "equal", "Equal, or I do not know"]];
    this.choices.replaceChildren(...all.map(([key, choice, text]) => this.chip(key, text, null, chosen === choice, () => this.choose(choice, "click"))));
  }
}

export default {
  render({ model, el: host }) {
    const choice = new TreeChoice(model, host);
    return () => choice.close();
  },
};
