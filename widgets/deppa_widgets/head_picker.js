// HeadPicker: which word is the head of this one? One key, one click.

const HELP = [
  ["click, 1–9", "take a word as the head; 1 is the likeliest"],
  ["0 or r", "the root"],
  ["← → Enter", "walk to any word and take it"],
  ["↑ ↓", "the question before, the next one"],
  ["Backspace", "clear the head of the word"],
  ["u, Ctrl+Z", "undo"],
  ["U, Ctrl+Y", "redo"],
  ["s", "skip: no answer"],
  ["f", "unsure: the answer is doubtful, or there is none"],
  ["l", "give a label"],
  [".", "the sentence is done"],
  ["?", "this help"],
  ["Tab", "leave"],
];

class HeadPicker {
  constructor(model, host) {
    this.model = model;
    this.at = null; // [task, token]
    this.cursor = null; // the word that Enter takes
    this.doubtful = ""; // what has to be said twice
    this.shown = "";
    this.build(host);
    this.page = new Page(model, (kind) => this.update(kind));
    this.resize = new ResizeObserver(() => this.draw());
    this.resize.observe(this.canvas);
    this.draw();
  }

  build(host) {
    const button = (text, key, act, says) =>
      el("button", { type: "button", tabindex: -1, title: says, "aria-keyshortcuts": key, onclick: () => (act(), this.focus()) }, text, el("kbd", {}, key));
    this.status = el("span", { class: "status", role: "status" });
    this.where = el("span", { class: "where" });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "answered" });
    this.question = el("div", { class: "question" });
    this.canvas = el("div", { class: "canvas" });
    this.choices = el("div", { class: "choices" });
    this.notice = el("div", { class: "notice" });
    this.live = el("div", { class: "unseen", "aria-live": "polite" });
    this.panel = el("div", { class: "panel", hidden: true });
    this.keys = el("div", { class: "keys" },
      button("Undo", "u", () => this.undo("undo"), "take back the last answer"),
      button("Redo", "U", () => this.undo("redo"), "do it again"),
      button("Skip", "s", () => this.pass("skip"), "no answer"),
      button("Unsure", "f", () => this.pass("unsure"), "the answer is doubtful"),
      button("Label", "l", () => this.openLabels(), "give the arc a label"),
      button("Done", ".", () => this.submit(), "the sentence is done"),
      button("Help", "?", () => this.toggleHelp(), "all keys"),
      el("span", { class: "legend" }, el("i", {}), "given", el("i", { class: "model" }), "suggested"));
    this.root = el("div", {
      class: "deppa deppa-picker", tabindex: 0, role: "application", "data-lm-suppress-shortcuts": "true",
      "aria-label": "Head picker. Press question mark for help, Tab to leave.",
      onkeydown: (event) => this.key(event), onpointerdown: (event) => this.grab(event),
    }, el("div", { class: "top" }, this.where, this.bar, this.status), this.question, this.canvas, this.choices, this.notice, this.panel, this.keys, this.live);
    host.append(this.root);
    const typing = document.activeElement?.closest("input, textarea, [contenteditable=true]");
    if (!typing) requestAnimationFrame(() => this.focus());
  }
  focus() {
    this.root.focus({ preventScroll: true });
  }
  /** Keep the notebook from taking the focus when the widget is clicked. */
  grab(event) {
    if (!event.target.closest("input")) {
      event.preventDefault();
      this.focus();
    }
  }
  close() {
    this.page.close();
    this.resize.disconnect();
  }

  // What is asked and what is known.

  get task() {
    return this.at && this.page.tasks[this.at[0]];
  }
  get token() {
    return this.at?.[1];
  }
  value(what, m, task = this.task) {
    const word = `${task.sentence}\t${m}`;
    const given = this.said[what].get(word);
    if (given !== undefined) return given;
    const own = task[what === "head" ? "heads" : "labels"][m];
    return what === "head" ? (own < 0 ? null : own) : own === "_" ? null : own;
  }
  heads(task = this.task) {
    return task.words.map((_, i) => this.value("head", i + 1, task));
  }
  isOpen(t, m) {
    const task = this.page.tasks[t], word = `${task.sentence}\t${m}`;
    if (this.said.submit.has(task.sentence) || this.said.skip.has(`${task.sentence}\t0`)) return false;
    if (this.value("head", m, task) != null || this.said.skip.has(word) || this.said.unsure.has(word)) return false;
    return !task.certain?.includes(m);
  }
  get questions() {
    return this.page.tasks.flatMap((task, t) => task.tokens.map((m) => [t, m]));
  }
  /** Why a head cannot be taken: [reason, can it be forced]; null if it can. */
  against(head) {
    const { task, token } = this, heads = [null, ...this.heads()];
    heads[token] = null;
    const name = (m) => (m ? `“${task.words[m - 1]}”` : "the root");
    if (head === token) return ["a word is not its own head", false];
    for (let m = head, steps = 0; m > 0 && heads[m] != null && steps <= heads.length; m = heads[m], steps++) {
      if (heads[m] === token) return [`${name(head)} depends on ${name(token)}: a cycle`, false];
    }
    const options = this.model.get("options");
    const other = heads.findIndex((h, m) => m > 0 && h === 0);
    if (options.single_root && head === 0 && other > 0) return [`${name(other)} is the root's dependent already`, true];
    if (!options.projective) return null;
    const [low, high] = [Math.min(head, token), Math.max(head, token)];
    for (let m = 1; m < heads.length; m++) {
      if (heads[m] == null) continue;
      const [a, b] = [Math.min(heads[m], m), Math.max(heads[m], m)];
      if ((low < a && a < high && high < b) || (a < low && low < b && b < high)) {
        return [`it would cross the arc from ${name(heads[m])} to ${name(m)}`, true];
      }
    }
    return null;
  }

  // What a person does.

  give(head, how) {
    if (!this.task) return;
    const problem = this.against(head), again = `${this.at}:${head}`;
    if (problem && !(problem[1] && this.doubtful === again)) {
      this.doubtful = problem[1] ? again : "";
      return this.say(`Not taken: ${problem[0]}.${problem[1] ? " Once more to take it all the same." : ""}`);
    }
    this.doubtful = "";
    const { token, task } = this, old = this.value("head", token), label = this.value("label", token);
    const row = task.candidates?.[token] ?? [], rank = row.findIndex(([h]) => h === head);
    const event = this.event("head", token, { old, new: head, how, rank: rank < 0 ? null : rank + 1, probability: rank < 0 ? null : row[rank][1] });
    const events = [event];
    if (label != null && old !== head) events.push(this.event("label", token, { old: label, new: null, how }));
    this.say(`${task.words[token - 1]} ← ${head ? task.words[head - 1] : "root"}`);
    this.page.act(events);
    if (this.model.get("options").labels) this.openLabels();
    else this.next();
  }
  event(what, token, more) {
    const { task } = this;
    return { what, sentence: task.sentence, token, task: task.kind === "tree" ? "full" : "partial", strategy: task.strategy, model: task.model, ...more };
  }
  pass(what) {
    if (!this.task) return;
    this.say(what === "skip" ? "Skipped." : "Marked as unsure.");
    this.page.act([this.event(what, this.token, { how: "key" })]);
    this.next();
  }
  clear() {
    const what = ["head", "label"].filter((one) => this.task && this.value(one, this.token) != null);
    if (!what.length) return this.say("There is nothing to clear.");
    this.say("Cleared.");
    this.page.act(what.map((one) => this.event(one, this.token, { old: this.value(one, this.token), new: null, how: "key" })));
  }
  undo(kind) {
    const before = this.said;
    const target = before[kind];
    if (!this.page.undo(kind)) return this.say(`Nothing to ${kind}.`);
    this.say(kind === "undo" ? "Taken back." : "Done again.");
    const original = this.page.acts.find((act) => act.client === target);
    const act = original.undo_of ? this.page.acts.find((one) => one.client === original.undo_of) : original;
    const { sentence, token } = act.events[0];
    const place = this.questions.find(([t, m]) => this.page.tasks[t].sentence === sentence && (m === token || token == null));
    if (place) this.go(place);
  }
  /** The sentence is done; of a full tree, what the model suggests is taken for what is still open. */
  submit() {
    const { task } = this;
    if (!task) return;
    const open = task.kind === "tree" && task.tree ? task.tokens.filter((m) => this.isOpen(this.at[0], m)) : [];
    const events = open.map((m) => this.event("head", m, { old: null, new: task.tree[m], how: "accepted", probability: task.sure[m] }));
    this.say(open.length ? `Done; ${open.length} suggested heads accepted.` : "Done.");
    this.page.act([...events, this.event("submit", null, { how: "key" })]);
    this.next();
  }

  // Where a person is.

  go(place) {
    this.at = place;
    this.cursor = null;
    this.doubtful = "";
    this.draw();
  }
  next() {
    const all = this.questions, open = ([t, m]) => this.isOpen(t, m);
    this.read();
    const here = all.findIndex(([t, m]) => (this.at ? t === this.at[0] && m === this.at[1] : t === this.page.jumpTo));
    this.go(all.slice(this.at ? here + 1 : Math.max(here, 0)).find(open) ?? all.find(open) ?? null);
  }
  step(by) {
    const all = this.questions;
    if (!all.length) return;
    const here = all.findIndex(([t, m]) => this.at && t === this.at[0] && m === this.at[1]);
    this.go(all[here < 0 ? all.length - 1 : Math.min(Math.max(here + by, 0), all.length - 1)]);
  }
  walk(by) {
    if (!this.task) return;
    const n = this.task.words.length;
    this.cursor = Math.min(Math.max((this.cursor ?? this.token) + by, 0), n);
    this.draw();
    const problem = this.against(this.cursor);
    this.announce((this.cursor ? this.task.words[this.cursor - 1] : "root") + (problem ? `, ${problem[0]}` : ""));
  }

  key(event) {
    if (event.key === "Tab" || event.metaKey || event.altKey || event.target.closest("input")) return;
    const handled = event.ctrlKey ? this.control(event.key.toLowerCase()) : this.plain(event.key);
    event.stopPropagation(); // or the notebook would take it for a command
    if (handled) event.preventDefault();
  }
  control(key) {
    const kind = { z: "undo", y: "redo" }[key];
    if (kind) this.undo(kind);
    return Boolean(kind);
  }
  plain(key) {
    const ahead = this.task?.rtl ? -1 : 1;
    const acts = {
      ArrowLeft: () => this.walk(-ahead), ArrowRight: () => this.walk(ahead), Home: () => this.walk(-1e6), End: () => this.walk(1e6),
      ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1), Backspace: () => this.clear(),
      Enter: () => (this.cursor == null ? this.say("← and → choose a word.") : this.give(this.cursor, "key")),
      0: () => this.give(0, "key"), r: () => this.give(0, "key"), u: () => this.undo("undo"), U: () => this.undo("redo"),
      s: () => this.pass("skip"), f: () => this.pass("unsure"), l: () => this.openLabels(), ".": () => this.submit(),
      "?": () => this.toggleHelp(), Escape: () => this.closePanel(),
    };
    if (/^[1-9]$/.test(key)) this.rank(Number(key));
    else if (key in acts) acts[key]();
    else return false;
    return true;
  }
  rank(k) {
    const found = this.task?.candidates?.[this.token]?.[k - 1];
    if (found) this.give(found[0], "key");
    else this.say(this.model.get("options").blind ? "Nothing is suggested here: click, or ← → and Enter." : `There is no candidate ${k}.`);
  }

  // Panels.

  closePanel() {
    this.panel.hidden = true;
    this.focus();
  }
  toggleHelp() {
    const open = this.panel.hidden || this.panel.dataset.shows !== "help";
    this.panel.dataset.shows = "help";
    this.panel.replaceChildren(el("div", { class: "help" }, ...HELP.flatMap(([key, text]) => [el("b", {}, key), el("span", {}, text)])));
    this.panel.hidden = !open;
    if (open) this.announce(HELP.map((row) => row.join(": ")).join("; "));
  }
  openLabels() {
    if (!this.task) return;
    const { token } = this;
    this.panel.dataset.shows = "labels";
    this.panel.hidden = false;
    labelPanel(this.panel, `Label of “${this.task.words[token - 1]}”`, this.model.get("options").names, {
      take: (label) => {
        this.closePanel();
        this.say(`${this.task.words[token - 1]}: ${label}`);
        this.page.act([this.event("label", token, { old: this.value("label", token), new: label, how: "key" })]);
        if (this.model.get("options").labels) this.next();
      },
      leave: () => (this.closePanel(), this.model.get("options").labels && this.value("head", token) != null && this.next()),
    });
  }

  // What is seen and said.

  say(text) {
    this.notice.textContent = text;
    this.announce(text);
  }
  announce(text) {
    this.live.textContent = text;
  }
  read() {
    this.said = this.page.said;
  }
  update(kind) {
    if (kind === "receipt" && this.page.refused?.length) this.say(`Not taken: ${this.page.refused[0].why}`);
    this.read();
    if (kind === "tasks" && this.page.jumpTo != null) this.at = null;
    const lost = !this.at;
    const passed = kind === "estimates" && this.at && this.task?.certain?.includes(this.token) && this.value("head", this.token) == null;
    if (lost || passed) this.next();
    else this.draw();
  }
  draw() {
    if (!this.page) return;
    this.read();
    const [look, text] = banner(this.page);
    this.root.dataset.state = look;
    if (this.status.textContent !== text) this.status.textContent = text;
    if (look === "reads" && this.page.known) this.status.append(el("button", { type: "button", onclick: () => this.page.send({ kind: "claim" }) }, "Write here"));
    this.top();
    if (!this.task) return this.drawNothing();
    this.drawTask();
    this.noteShown();
  }
  top() {
    const all = this.questions, done = all.filter(([t, m]) => !this.isOpen(t, m)).length;
    const options = this.model.get("options");
    this.where.textContent = [options.annotator, all.length ? `${done} of ${all.length} answered` : ""].filter(Boolean).join(" · ");
    this.bar.max = Math.max(all.length, 1);
    this.bar.value = done;
  }
  drawNothing() {
    const left = this.page.known && !this.page.waits;
    this.question.textContent = left ? "All is answered. Thank you." : "Preparing questions…";
    this.canvas.replaceChildren();
    this.choices.replaceChildren();
  }
  drawTask() {
    const { task, token } = this, blind = this.model.get("options").blind;
    const head = this.value("head", token), label = this.value("label", token);
    const doubt = this.said.unsure.has(`${task.sentence}\t${token}`) ? ", unsure" : this.said.skip.has(`${task.sentence}\t${token}`) ? ", skipped" : "";
    const now = head == null ? "" : `now ${head ? task.words[head - 1] : "root"}${label ? ` (${label})` : ""}`;
    this.question.replaceChildren("Which word is the head of ", el("b", {}, task.words[token - 1]), "?", el("span", { class: "now" }, now + doubt));
    this.canvas.replaceChildren(this.picture());
    const active = this.canvas.querySelector(`#${this.page.name}-${this.cursor || token}`);
    const box = active.getBoundingClientRect(), seen = this.canvas.getBoundingClientRect();
    if (box.top < seen.top || box.bottom > seen.bottom) this.canvas.scrollTop += box.top - seen.top - seen.height / 2;
    this.root.setAttribute("aria-activedescendant", active?.id ?? "");
    const chip = (key, text, share, h) => el("button", {
      type: "button", tabindex: -1, class: `chip${this.cursor === h ? " at" : ""}${head === h ? " on" : ""}`, onclick: () => (this.give(h, "click"), this.focus()),
      style: share == null ? "" : `--share:${Math.round(100 * share)}%`,
    }, el("kbd", {}, key), text, share == null ? "" : el("span", { class: "share" }, percent(share)));
    const some = blind ? [] : task.candidates?.[token] ?? [];
    const likely = some.map(([h, p], k) => [h, p, k + 1]).filter(([h, p], k) => h && (p >= 0.01 || k < 2));
    const chips = likely.map(([h, p, k]) => chip(k, task.words[h - 1], p, h));
    chips.push(chip("0", "root", some.find(([h]) => h === 0)?.[1], 0));
    this.choices.replaceChildren(...chips);
  }
  picture() {
    const { task, token } = this, blind = this.model.get("options").blind;
    const heads = [null, ...this.heads()], row = task.candidates?.[token] ?? [];
    const arcs = [];
    heads.forEach((h, m) => {
      const own = this.said.head.get(`${task.sentence}\t${m}`) != null;
      if (m && h != null) arcs.push({ head: h, word: m, kind: own ? "human" : "given", label: this.value("label", m) ?? "" });
      else if (m && task.tree && !blind) arcs.push({ head: task.tree[m], word: m, kind: m === token ? "model asked" : "model", p: task.sure[m], label: "" });
    });
    const tried = this.cursor ?? this.hover;
    if (tried != null && tried !== token) arcs.push({ head: tried, word: token, kind: "tried", label: "" });
    return drawing({
      words: task.words, notes: task.tags, arcs, mirrored: task.rtl, width: this.canvas.clientWidth || 800, id: this.page.name,
      press: (m) => (m === token ? this.say("This is the word in question: click its head.") : this.give(m, "click")),
      word: (m) => {
        const rank = row.findIndex(([h]) => h === m), problem = m === token ? null : this.against(m);
        const asked = task.tokens.includes(m) && this.isOpen(this.at[0], m);
        const classes = [m === token && "active", m === this.cursor && "cursor", problem && (problem[1] ? "crossing" : "cycle"), asked && "asked"];
        const says = `${m} ${task.words[m - 1]}${rank >= 0 ? `, candidate ${rank + 1}, ${percent(row[rank][1])}` : ""}${problem ? `, ${problem[0]}` : ""}`;
        return { classes: classes.filter(Boolean).join(" "), badge: rank >= 0 && !blind ? String(rank + 1) : "", says, why: problem?.[0] };
      },
    });
  }
  hint() {
    const numbers = this.task.candidates && !this.model.get("options").blind;
    this.notice.textContent = `${numbers ? "Press a number, or click the head" : "Click the head, or ← → and Enter"}. ? shows all keys.`;
    this.hinted = true;
  }
  noteShown() {
    if (!this.hinted) this.hint();
    const key = String(this.at);
    if (!this.page.writes || this.shown === key) return;
    this.shown = key;
    this.page.act([this.event("shown", this.token, { how: "page" })]);
    const { words } = this.task;
    this.announce(`Which word is the head of ${words[this.token - 1]}, word ${this.token} of ${words.length}?`);
  }
}

function percent(share) {
  return share >= 0.995 ? "99 %" : share < 0.005 ? "<1 %" : `${Math.round(100 * share)} %`;
}

export default {
  render({ model, el: host }) {
    const picker = new HeadPicker(model, host);
    return () => picker.close();
  },
};
