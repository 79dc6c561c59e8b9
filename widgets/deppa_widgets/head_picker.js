// HeadPicker: which word is the head of this one? One key, one click.

const help = (isBlind) => [
  isBlind ? ["click", "take a word as the head"] : ["click, 1–9", "take a word as the head; 1 is the likeliest"],
  ["0 or r", "the root"],
  ["← → Enter", "walk to any word and take it"],
  ["↑ ↓", "the question before, the next one"],
  ["Backspace", "clear the head of the word"],
  ["u, Ctrl+Z", "undo"],
  ["U, Ctrl+Y, Ctrl+Shift+Z", "redo"],
  ["s", "skip: no answer"],
  ["S", "what was skipped is asked now"],
  ["f", "unsure: the answer is doubtful, or there is none"],
  ["l", "give a label"],
  [".", `the sentence is done${isBlind ? "" : "; of a full tree, what is suggested is taken for the rest"}`],
  ["?", "this help"],
  ["Tab", "leave"],
];

class HeadPicker extends Asking {
  constructor(model, host) {
    const options = model.get("options");
    const hint = (task) => `${task.candidates ? "Press a number, or click the head" : "Click the head, or ← → and Enter"}. ? shows all keys.`;
    super(model, host, { name: "picker", what: "head", title: "Head picker", help: help(options.blind), hint });
    this.cursor = null; // the word that Enter takes
    this.doubtful = {}; // what has to be said twice, and which deed it was
    this.keys.append(
      this.button("Undo", "u", "take back the last answer", () => this.undo("undo")),
      this.button("Redo", "U", "do it again", () => this.undo("redo")),
      this.button("Skip", "s", "no answer", () => this.pass("skip")),
      this.button("Ask skipped", "S", "what was skipped is asked now", () => this.askSkipped()),
      this.button("Unsure", "f", "the answer is doubtful", () => this.pass("unsure")),
      this.button("Label", "l", "give the arc a label", () => this.openLabels()),
      this.button("Done", ".", "the sentence is done", () => this.submit()),
      this.button("Help", "?", "all keys", () => this.toggleHelp()),
      el("span", { class: "legend" }, el("i", {}), "given", ...(options.blind ? [] : [el("i", { class: "model" }), "suggested"])));
    this.start();
  }
  tidy() {
    this.cursor = null;
  }

  // What is known.

  value(what, m, task = this.task) {
    const given = this.said[what].get(this.wordKey(m, task));
    if (given !== undefined) return given;
    const own = task[what === "head" ? "heads" : "labels"][m];
    return own === -1 || own === "_" ? null : own;
  }
  isGiven(task, m) {
    return this.value("head", m, task) != null;
  }
  isOpen(task, m) {
    if (this.isPassed(m, task)) return false;
    return this.isGiven(task, m) ? this.lacksLabel(task, m) : !task.certain?.includes(m);
  }
  lacksLabel(task, m) {
    return this.options.labels && this.isGiven(task, m) && this.value("label", m, task) == null;
  }
  /** Whether the question has become certain while it was shown. */
  isOver(kind) {
    return kind === "estimates" && this.task.certain?.includes(this.token) && this.value("head", this.token) == null;
  }
  candidates() {
    return (!this.options.blind && this.task.candidates?.[this.token]) || [];
  }
  /** The model's tree: the likeliest in which the word in question has its likeliest head, so that key 1 takes what is drawn. */
  get tree() {
    return this.options.blind ? null : this.task.others?.[this.token] ?? this.task.tree;
  }
  probability(m, head) {
    return this.task.candidates[m].find(([h]) => h === head)?.[1] ?? 0;
  }
  /** Why a head cannot be taken: [reason, can it be forced]; null if it can. */
  against(head) {
    const { task, token } = this, { projective, single_root } = this.options;
    const heads = [null, ...task.words.map((_, i) => this.value("head", i + 1))];
    heads[token] = null;
    if (head === token) return ["a word is not its own head", false];
    for (let m = head, steps = 0; m > 0 && heads[m] != null && steps < heads.length; m = heads[m], steps++) {
      if (heads[m] === token) return [`${this.name(head)} depends on ${this.name(token)}: a cycle`, false];
    }
    const other = heads.indexOf(0);
    if (single_root && head === 0 && other > 0) return [`${this.name(other)} is the root's dependent already`, true];
    const ends = (a, b) => [Math.min(a, b), Math.max(a, b)];
    const [low, high] = ends(head, token);
    const isCrossed = (h, m) => {
      const [a, b] = ends(h, m);
      return (low < a && a < high && high < b) || (a < low && low < b && b < high);
    };
    const crossed = projective ? heads.findIndex((h, m) => h != null && isCrossed(h, m)) : -1;
    return crossed < 0 ? null : [`it would cross the arc from ${this.name(heads[crossed])} to ${this.name(crossed)}`, true];
  }

  // What a person does.

  give(head, how) {
    if (!this.mayAnswer()) return;
    const problem = this.against(head), again = `${this.at}:${head}`;
    const isForced = problem?.[1] && this.doubtful.again === again && this.doubtful.deed >= this.deeds - 1;
    if (problem && !isForced) {
      this.doubtful = { again, deed: this.deeds };
      return this.say(`Not taken: ${problem[0]}.${problem[1] ? " Once more to take it all the same." : ""}`);
    }
    const { token, task } = this, old = this.value("head", token), label = this.value("label", token);
    const row = this.candidates(), rank = row.findIndex(([h]) => h === head);
    const events = [this.event("head", token, { old, new: head, how, rank: rank < 0 ? null : rank + 1, probability: row[rank]?.[1] ?? null })];
    if (label != null && old != null && old !== head) events.push(this.event("label", token, { old: label, new: null, how }));
    this.say(`${this.name(token)} ← ${this.name(head)}`);
    this.cursor = null;
    this.page.act(events);
    if (this.options.labels) this.openLabels();
    else this.next();
  }
  rank(k) {
    const found = this.task && this.candidates()[k - 1];
    if (found) this.give(found[0], "key");
    else this.say(this.candidates().length ? `There is no candidate ${k}.` : `${this.unsuggested} Click the head, or ← → and Enter.`);
  }
  get unsuggested() {
    return this.options.blind ? "Nothing is suggested here." : "No suggestions yet: the parser learns from your first answers.";
  }
  clear() {
    if (!this.mayAnswer()) return;
    const what = ["head", "label"].filter((one) => this.value(one, this.token) != null);
    if (!what.length) return this.say("There is nothing to clear.");
    this.say("Cleared.");
    this.page.act(what.map((one) => this.event(one, this.token, { old: this.value(one, this.token), new: null, how: "key" })));
  }
  submit() {
    if (!this.mayAnswer()) return;
    const { task, tree } = this, isLeft = (m) => !this.isGiven(task, m) && !this.isPassed(m, task); // be it certain by now
    const open = task.kind === "tree" && tree ? this.asked(task).filter(isLeft) : [];
    const events = open.map((m) => this.event("head", m, { old: null, new: tree[m], how: "accepted", probability: this.probability(m, tree[m]) }));
    this.say(open.length ? `Done; ${open.length} suggested heads accepted.` : "Done.");
    this.page.act([...events, this.event("submit", null, { how: "key" })]);
    this.next();
  }
  walk(by) {
    if (!this.task) return;
    this.cursor = Math.min(Math.max((this.cursor ?? this.token) + by, 0), this.task.words.length);
    this.draw();
    const problem = this.against(this.cursor);
    this.announce((this.cursor ? this.task.words[this.cursor - 1] : "root") + (problem ? `, ${problem[0]}` : ""));
  }
  acts() {
    const ahead = this.task?.rtl ? -1 : 1;
    const digits = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((k) => [k, () => this.rank(k)]));
    return {
      ...digits, 0: () => this.give(0, "key"), r: () => this.give(0, "key"), f: () => this.pass("unsure"),
      ArrowLeft: () => this.walk(-ahead), ArrowRight: () => this.walk(ahead), Home: () => this.walk(-1e6), End: () => this.walk(1e6),
      Enter: () => (this.cursor == null ? this.say("← and → choose a word.") : this.give(this.cursor, "key")),
      Backspace: () => this.clear(), l: () => this.openLabels(), ".": () => this.submit(),
    };
  }
  openLabels() {
    if (!this.mayAnswer()) return;
    const { task, token } = this, word = this.name(token);
    const leave = () => {
      this.closePanel();
      if (this.lacksLabel(task, token)) this.say("No label yet: l gives one, s goes on without.");
      else if (this.options.labels && this.isGiven(task, token)) this.next();
    };
    const take = (label) => {
      this.say(`${word}: ${label}`);
      this.page.act([this.event("label", token, { old: this.value("label", token, task), new: label, how: "key" }, task)]);
      leave();
    };
    this.panel.dataset.shows = "labels";
    this.panel.hidden = false;
    labelPanel(this.panel, `Label of ${word}`, this.options.names, { take, leave });
  }

  // What is seen.

  drawTask() {
    const { task, token } = this, head = this.value("head", token), label = this.value("label", token);
    const doubt = this.said.unsure.has(this.wordKey()) ? "unsure" : this.said.skip.has(this.wordKey()) ? "skipped" : "";
    const now = [head != null && `now ${this.name(head)}`, label, doubt].filter(Boolean).join(", ");
    const what = this.lacksLabel(task, token) ? "Which label has " : "Which word is the head of ";
    this.question.replaceChildren(what, el("b", {}, task.words[token - 1]), "?", el("span", { class: "now" }, now));
    this.canvas.replaceChildren(this.picture());
    this.follow(this.cursor || token);
    const some = this.candidates().map(([h, p], k) => [h, p, h ? k + 1 : `${k + 1} 0`]); // the root has two keys
    const likely = some.filter(([h, p], k) => !h || p >= 0.01 || k < 2);
    if (!likely.some(([h]) => !h)) likely.push([0, null, 0]);
    this.choices.replaceChildren(...likely.map(([h, p, keys]) => {
      const chip = this.chip(keys, h ? task.words[h - 1] : "root", p, head === h, () => this.give(h, "click"));
      if (h === this.cursor) chip.classList.add("at");
      return chip;
    }));
    if (!some.length) this.choices.append(el("span", { class: "none" }, this.unsuggested));
  }
  /** Bring a word into view where a long sentence scrolls, once: then somebody may look elsewhere. */
  follow(m) {
    const node = this.canvas.querySelector(`#${this.page.name}-${m}`), now = `${this.at}:${m}:${this.canvas.clientWidth}`;
    this.root.setAttribute("aria-activedescendant", node.id);
    if (this.followed === now) return;
    this.followed = now;
    const box = node.getBoundingClientRect(), seen = this.canvas.getBoundingClientRect();
    if (m === this.cursor) node.scrollIntoView({ block: "nearest" }); // the word in question stays, if it can
    else if (box.top < seen.top || box.bottom > seen.bottom) this.canvas.scrollTop += box.top - seen.top - seen.height / 2;
  }
  arcs() {
    const { task, token, tree } = this, arcs = [];
    for (let m = 1; m <= task.words.length; m++) {
      const head = this.value("head", m), isHuman = this.said.head.get(this.wordKey(m)) != null;
      if (head != null) arcs.push({ head, word: m, kind: isHuman ? "human" : "given", label: this.value("label", m) ?? "" });
      else if (tree) arcs.push({ head: tree[m], word: m, kind: m === token ? "model asked" : "model", p: this.probability(m, tree[m]) });
    }
    if (this.cursor != null && this.cursor !== token) arcs.push({ head: this.cursor, word: token, kind: "tried" });
    return arcs;
  }
  picture() {
    const { task, token } = this, row = this.candidates(), asked = this.asked(task);
    const word = (m) => {
      const rank = row.findIndex(([h]) => h === m), problem = m === token ? null : this.against(m);
      const classes = [m === token && "active", m === this.cursor && "cursor", problem && (problem[1] ? "crossing" : "cycle"), asked.includes(m) && this.isOpen(task, m) && "asked"];
      const says = [`${m} ${task.words[m - 1]}`, rank >= 0 && `candidate ${rank + 1}, ${percent(row[rank][1])}`, problem?.[0]];
      return { classes: classes.filter(Boolean).join(" "), badge: rank >= 0 ? String(rank + 1) : "", says: says.filter(Boolean).join(", "), why: problem?.[0] };
    };
    const press = (m) => (m === token ? this.say("This is the word in question: click its head.") : this.give(m, "click"));
    return drawing({ words: task.words, notes: task.tags, arcs: this.arcs(), mirrored: task.rtl, width: this.canvas.clientWidth || 800, id: this.page.name, word, press });
  }
}

export default {
  render({ model, el: host }) {
    const picker = new HeadPicker(model, host);
    return () => picker.close();
  },
};
