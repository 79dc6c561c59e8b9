// What widgets that ask have in common: one question after the other, by keys alone. Joined before their own source.

const EAGER = 4000; // for how long a widget wants the focus after its first question, in ms

/**
 * A widget that asks. One of it has isOpen(task, m), isGiven(task, m), drawTask(), acts(),
 * and may have asked(task), the words of a task that are asked for, and tidy(), before something else is drawn.
 */
class Asking {
  constructor(model, host, { name, what, title, help, hint }) {
    Object.assign(this, { model, what, help, hint, at: null, shown: "", deeds: 0 });
    this.options = model.get("options");
    this.status = el("span", { class: "status", role: "status" });
    this.where = el("span", { class: "where" });
    this.bar = el("progress", { max: 1, value: 0, "aria-label": "answered" });
    this.question = el("div", { class: "question" });
    this.canvas = el("div", { class: "canvas", tabindex: -1 }); // or Tab would stop at what scrolls
    this.choices = el("div", { class: "choices" });
    this.notice = el("div", { class: "notice" });
    this.refusals = el("div", { class: "refusals", role: "alert" });
    this.panel = el("div", { class: "panel", hidden: true });
    this.keys = el("div", { class: "keys" });
    this.live = el("div", { class: "unseen", "aria-live": "polite" });
    this.root = el("div", {
      class: `deppa deppa-${name}`, tabindex: 0, role: "application", "data-lm-suppress-shortcuts": "true",
      "aria-label": `${title}. Press question mark for help, Tab to leave.`,
      onkeydown: (event) => this.key(event), onpointerdown: (event) => this.grab(event),
    }, el("div", { class: "top" }, this.where, this.bar, this.status), this.question, this.canvas, this.choices, this.notice, this.refusals, this.panel, this.keys, this.live);
    // The second click of a double click would answer a question that nobody has read; undo may be quick.
    const isSecond = ({ detail, target }) => detail > 1 && !target.closest('[aria-keyshortcuts="u" i]');
    this.root.addEventListener("click", (event) => isSecond(event) && event.stopPropagation(), true);
    host.append(this.root);
    this.holdFocus();
  }
  /**
   * Take the focus, and take it back while a notebook that is being opened moves it about: keys would change its cells.
   * Stay in view, too, while cells above are drawn.
   * Whoever types elsewhere, or does anything at all, decides.
   */
  holdFocus() {
    const end = () => {
      clearInterval(this.holds);
      this.hold = null;
      for (const kind of ["pointerdown", "keydown", "wheel"]) document.removeEventListener(kind, end, true);
    };
    for (const kind of ["pointerdown", "keydown", "wheel"]) document.addEventListener(kind, end, true);
    this.until = Infinity; // questions may be long in coming
    this.hold = () => {
      const isTaken = document.activeElement?.closest(".deppa, input, textarea, [contenteditable=true]");
      if (performance.now() > this.until) return end();
      if (!isTaken) this.focus();
      this.bringIntoView();
    };
    this.holds = setInterval(this.hold, 50);
  }
  /** Begin, once the class of the widget has made all that is drawn. */
  start() {
    this.page = new Page(this.model, this.what, (kind) => this.update(kind));
    this.resize = new ResizeObserver(() => this.draw());
    this.resize.observe(this.canvas);
    this.draw();
  }
  close() {
    clearInterval(this.holds);
    this.page.close();
    this.resize.disconnect();
  }
  button(text, key, says, act) {
    const pressed = () => (act(), this.focus());
    return el("button", { type: "button", tabindex: -1, title: says, "aria-keyshortcuts": key, onclick: pressed }, text, el("kbd", {}, key));
  }
  chip(key, text, share, isOn, act) {
    const pressed = () => (act(), this.focus());
    const style = share == null ? "" : `--share:${Math.round(100 * share)}%`;
    return el("button", { type: "button", tabindex: -1, class: `chip${isOn ? " on" : ""}`, style, onclick: pressed },
      el("kbd", {}, key), el("bdi", {}, text), share == null ? "" : el("span", { class: "share" }, percent(share)));
  }
  focus() {
    this.root.focus({ preventScroll: true });
  }
  /** Keep the notebook from taking the focus when the widget is clicked. */
  grab(event) {
    if (event.target.closest("input")) return;
    event.preventDefault();
    this.focus();
    this.hush();
  }

  // What is asked.

  get task() {
    return this.at && this.page.tasks[this.at[0]];
  }
  get token() {
    return this.at?.[1];
  }
  asked(task) {
    return task.tokens;
  }
  /** A word in a text that may run the other way: what stands around it must stay where it is. */
  name(m, task = this.task) {
    return m ? `“\u2068${task.words[m - 1]}\u2069”` : "the root";
  }
  get questions() {
    return this.page.tasks.flatMap((task, t) => this.asked(task).map((m) => [t, m]));
  }
  wordKey(m = this.token, task = this.task) {
    return `${task.sentence}\t${m ?? 0}`;
  }
  isPassed(m, task) {
    const { skip, unsure, submit } = this.said, word = this.wordKey(m, task);
    return skip.has(word) || unsure.has(word) || skip.has(`${task.sentence}\t0`) || submit.has(task.sentence);
  }
  /** Whether this page writes the log; who can only look on is told. */
  mayWrite() {
    if (this.page.known && !this.page.writes) this.say("Read-only: this log is written in another tab. “Write here” takes it over.");
    return this.page.writes;
  }
  mayAnswer() {
    return this.mayWrite() && Boolean(this.task);
  }
  event(what, token, more = {}, task = this.task) {
    const { sentence, kind, strategy, model } = task;
    return { what, sentence, token, task: kind === "tree" ? "full" : "partial", strategy, model, ...more };
  }
  get place() {
    return this.questions.findIndex(([t, m]) => this.at && t === this.at[0] && m === this.at[1]);
  }
  go(at) {
    this.at = at;
    const { task, token } = this;
    this.isHere = ([t, m]) => this.page.tasks[t].sentence === task?.sentence && m === token;
    this.tidy?.();
    if (this.panel.dataset.shows === "labels" && !this.panel.hidden) this.closePanel(); // it was of another word
    this.draw();
  }
  next() {
    this.said = this.page.said;
    const all = this.questions, open = ([t, m]) => this.isOpen(this.page.tasks[t], m);
    const from = this.at ? this.place + 1 : all.findIndex(([t]) => t >= (this.page.jumpTo ?? 0));
    this.go(all.slice(Math.max(from, 0)).find(open) ?? all.find(open) ?? null);
  }
  step(by) {
    const all = this.questions, here = this.place;
    const isSkipped = ([t, m]) => this.isPassed(m, this.page.tasks[t]) && !this.isGiven(this.page.tasks[t], m);
    if (here >= 0) this.go(all[Math.min(Math.max(here + by, 0), all.length - 1)]);
    else if (all.length) this.go(all.findLast(isSkipped) ?? all.at(-1)); // from the end
  }
  pass(what) {
    if (!this.mayAnswer()) return;
    this.say(what === "skip" ? "Skipped." : "Marked as unsure.");
    this.page.act([this.event(what, this.token, { how: "key" })]);
    this.next();
  }
  askSkipped() {
    if (!this.mayWrite()) return;
    this.asksSkipped = true;
    this.page.send({ kind: "passed" });
  }
  undo(kind) {
    if (!this.mayWrite()) return;
    const find = (client) => this.page.acts.find((act) => act.client === client);
    const target = find(this.said[kind]);
    if (!target) return this.say(`Nothing to ${kind}.`);
    const { events } = target.undo_of ? find(target.undo_of) : target;
    const [{ sentence, token }] = events;
    const place = this.questions.find(([t, m]) => this.page.tasks[t].sentence === sentence && (token == null || m == null || m === token));
    // What cannot be seen is not taken back: nobody would know what is gone.
    if (!place) return this.say(`Nothing to ${kind} here: the answer before is of an earlier session.`);
    this.go(place);
    this.page.undo(kind);
    const more = events.length > 1 ? ` and ${events.length - 1} more` : "";
    this.say(`${kind === "undo" ? "Taken back" : "Done again"}: ${this.told(events[0])}${more}.`);
  }
  /** What an event says, in few words. */
  told({ what, token, new: given }) {
    const word = token == null ? "the sentence" : this.name(token);
    if (what === "head") return `${word} ← ${given == null ? "nothing" : this.name(given)}`;
    return `${word}: ${{ skip: "skipped", unsure: "unsure", submit: "done" }[what] ?? given ?? "nothing"}`;
  }

  // Keys.

  key(event) {
    if (event.key === "Tab" || event.altKey || event.target.closest("input")) return;
    const isControl = event.ctrlKey || event.metaKey, redo = () => this.undo("redo");
    const acts = isControl ? { z: () => this.undo("undo"), Z: redo, y: redo } : {
      ArrowUp: () => this.step(-1), ArrowDown: () => this.step(1), u: () => this.undo("undo"), U: redo,
      s: () => this.pass("skip"), S: () => this.askSkipped(), "?": () => this.toggleHelp(), Escape: () => this.closePanel(), ...this.acts(),
    };
    const isLetter = event.key.length === 1; // is upper case by Shift alone: Caps Lock says nothing
    const act = acts[isLetter ? (event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase()) : event.key];
    if (act || !isControl) event.stopPropagation(); // or the notebook would take it for a command
    if (!act) return;
    event.preventDefault();
    if (event.repeat && !event.key.startsWith("Arrow")) return; // a key held down would answer what nobody has read
    this.hush();
    act();
  }
  closePanel() {
    this.panel.hidden = true;
    this.focus();
    this.bringIntoView();
  }
  toggleHelp() {
    const open = this.panel.hidden || this.panel.dataset.shows !== "help";
    this.panel.dataset.shows = "help";
    this.panel.replaceChildren(el("div", { class: "help" }, ...this.help.flatMap(([key, text]) => [el("b", {}, key), el("span", {}, text)])));
    this.panel.hidden = !open;
    if (!open) return;
    this.panel.scrollIntoView({ block: "nearest" });
    this.announce(this.help.map((row) => row.join(": ")).join("; "));
  }

  // What is seen and said.

  say(text) {
    this.notice.textContent = text;
    this.announce(text);
  }
  /** Something else is done: what was said before it is over. */
  hush() {
    this.deeds++;
    this.asksSkipped = false;
    this.notice.textContent = this.task ? this.hint(this.task) : "";
  }
  announce(text) {
    this.live.textContent = text;
  }
  update(kind) {
    if (kind === "receipt") this.drawRefusals();
    if (kind === "tasks" && this.page.jumpTo != null) this.at = null;
    if (kind === "state" && this.at) this.at = this.questions.find(this.isHere) ?? null; // tasks have other places now
    if (kind === "state" && this.page.again) this.at = null; // the first that was skipped is the first that is open
    this.said = this.page.said;
    if (kind === "state" && this.page.again) this.say("What was skipped is asked once more.");
    else if (kind === "state" && this.asksSkipped) this.say("Nothing was skipped.");
    if (kind === "state") this.asksSkipped = false;
    if (!this.at || this.isOver?.(kind)) this.next();
    else this.draw();
  }
  draw() {
    if (!this.page) return;
    this.said = this.page.said;
    this.drawTop();
    if (!this.task) {
      const isOver = this.page.known && !this.page.waits && !this.page.unsaved; // what waits may bring more
      this.question.textContent = isOver ? this.ending() : this.preparing();
      this.canvas.replaceChildren();
      this.choices.replaceChildren();
      return;
    }
    this.drawTask();
    if (this.until === Infinity) this.until = performance.now() + EAGER;
    this.hold?.();
    this.noteShown();
  }
  drawTop() {
    const [look, text] = banner(this.page);
    this.root.dataset.state = look;
    if (this.status.firstChild?.textContent !== text) this.status.textContent = text;
    if (look === "reads" && this.page.known && !this.status.querySelector("button")) {
      this.status.append(el("button", { type: "button", onclick: () => this.page.send({ kind: "claim" }) }, "Write here"));
    }
    const { given, skipped, open } = this.counts();
    const all = given + skipped + open;
    const parts = [`${given} given`, skipped && `${skipped} skipped`, `${open} open`];
    this.where.textContent = [this.options.annotator, ...(all ? parts : [])].filter(Boolean).join(" · ");
    this.bar.max = Math.max(all - this.page.before, 1);
    this.bar.value = given - this.page.before;
  }
  /** What was not taken stays to be read until somebody says so. */
  drawRefusals() {
    const { refusals } = this.page;
    const read = () => {
      refusals.length = 0;
      this.drawRefusals();
      this.focus();
    };
    this.refusals.replaceChildren(...refusals.map((why) => el("div", {}, `Not taken: ${why}`)));
    if (refusals.length) this.refusals.append(el("button", { type: "button", onclick: read }, "Understood"));
  }
  /** All answers, and questions that have none; words that are certain by now are none of these. */
  counts() {
    const found = { given: this.page.before + this.page.answers(this.said), skipped: 0, open: 0 }, counted = new Set();
    for (const [t, m] of this.questions) {
      const task = this.page.tasks[t], key = `${this.wordKey(m, task)}\t${JSON.stringify(task.trees)}`;
      if (counted.has(key)) continue; // who went on to other questions may have been asked again
      counted.add(key);
      const isGiven = this.isGiven(task, m);
      if (this.isOpen(task, m)) (found.open++, (found.given -= isGiven)); // lacks its label
      else if (!isGiven && this.isPassed(m, task)) found.skipped++;
    }
    return found;
  }
  preparing() {
    const isFirst = this.until === Infinity; // no question was there yet
    return this.options.compiles && isFirst ? "Compiling (once, about a minute)…" : "Preparing questions…";
  }
  ending() {
    const { skipped } = this.counts();
    return skipped ? `No question is left but the ${skipped} skipped: S asks for them once more.` : "All is answered. Thank you.";
  }
  /** Scroll to where the person is at work; if not all fits, to the word in question. */
  bringIntoView() {
    if (document.activeElement !== this.root) return;
    for (const one of [this.root, this.question, this.canvas.querySelector(".word.active")]) one?.scrollIntoView({ block: "nearest" });
  }
  /** Write down that a question appeared: time before it is no work. */
  noteShown() {
    if (!this.notice.textContent) this.say(this.hint(this.task));
    const key = String(this.at);
    if (!this.page.writes || this.shown === key) return;
    this.shown = key;
    this.bringIntoView();
    this.page.act([this.event("shown", this.token, { how: "page" })]);
    this.announce(this.question.textContent);
  }
}

function percent(share) {
  return share >= 0.995 ? "99 %" : share < 0.005 ? "<1 %" : `${Math.round(100 * share)} %`;
}
