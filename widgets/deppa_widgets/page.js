// What every annotating widget has: the page's end of the log. Joined before the widget's own source.

const NEWS = 5000; // how often the kernel is asked whether it is there, in ms
const LATE = 1500; // after which an answer that is not acknowledged is said to wait
const SILENT = 4000; // after which a page that does not answer has left the log to others
const SOON = 300; // how often is asked for questions when there are none
const IDLE = 10000;

const PASSES = ["skip", "unsure", "submit"];

/** What acts amount to, as in log_state.py: the later decides, an undo that stands takes an act back. */
function fold(acts) {
  const undone = new Set(), standing = [];
  for (const act of [...acts].reverse()) {
    if (undone.has(act.client)) continue;
    if (act.undo_of) undone.add(act.undo_of);
    else standing.unshift(act);
  }
  const said = { head: new Map(), label: new Map(), tree: new Map(), skip: new Set(), unsure: new Set(), submit: new Set() };
  const counts = (act, event) => !(act.reopened && PASSES.includes(event.what));
  for (const event of standing.flatMap((act) => act.events.filter((event) => counts(act, event)))) {
    const word = `${event.sentence}\t${event.token ?? 0}`;
    if (["head", "label", "tree"].includes(event.what)) {
      if (event.what !== "label") said.skip.delete(word), said.unsure.delete(word);
      said[event.what].set(event.what === "tree" ? `${word}\t${JSON.stringify(event.trees)}` : word, event.new);
    } else if (event.what === "submit") said.submit.add(event.sentence);
    else if (event.what in said) said[event.what].add(word);
  }
  return { ...said, ...stacks(acts) };
}

/** Which act an undo takes back, and which undo a redo takes back: the last of each. */
function stacks(acts) {
  const named = new Map(acts.map((act) => [act.client, act]));
  const undo = [];
  let redo = [];
  for (const act of acts) {
    if (["page", "shown"].includes(act.events[0]?.what)) continue;
    const target = named.get(act.undo_of);
    if (!act.undo_of) {
      undo.push(act.client);
      redo = [];
    } else if (target?.undo_of) {
      redo = redo.filter((client) => client !== act.undo_of);
      undo.push(target.undo_of);
    } else {
      undo.splice(undo.lastIndexOf(act.undo_of), 1);
      redo.push(act.client);
    }
  }
  return { undo: undo.at(-1), redo: redo.at(-1) };
}

/** Acts that are not acknowledged, kept by the browser over reloads; each under a key of its own. */
class Waiting {
  constructor(log) {
    this.prefix = `deppa:${log}:`;
    this.acts = new Map();
    this.read();
  }
  /** Take in what other pages of this browser have left. */
  read() {
    try {
      const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
      for (const key of keys.sort()) this.acts.set(key, JSON.parse(localStorage.getItem(key)));
    } catch {} // a page that may store nothing keeps them until it is closed
  }
  add(act) {
    const count = String(this.acts.size).padStart(4, "0"); // several acts in one millisecond
    const key = `${this.prefix}${Date.now()}:${count}:${act.client}`;
    this.acts.set(key, act);
    try {
      localStorage.setItem(key, JSON.stringify(act));
    } catch {}
  }
  remove(clients) {
    for (const [key, act] of this.acts) {
      if (!clients.includes(act.client)) continue;
      this.acts.delete(key);
      try {
        localStorage.removeItem(key);
      } catch {}
    }
  }
}

/** What stays the same when a page is loaded again, and differs from tab to tab. */
function tabName(otherwise) {
  try {
    sessionStorage.deppa ??= otherwise;
    return sessionStorage.deppa;
  } catch {
    return otherwise;
  }
}

/** Sends acts until they are acknowledged, and tells the widget what the kernel says. */
class Page {
  constructor(model, what, changed) {
    this.model = model;
    this.what = what; // is asked for: head, label or tree
    this.changed = changed; // called with the kind of what is new
    this.name = `p${Math.random().toString(36).slice(2, 10)}`;
    this.tab = tabName(this.name);
    this.claims = null; // when a log that nobody else seems to write will be claimed
    this.count = 0;
    this.written = [];
    this.tasks = [];
    this.before = 0; // answers on sentences that this page has not got
    this.writes = false;
    this.why = "";
    this.problem = "";
    this.refusals = []; // why acts were not taken, until the person has read it
    this.failure = "";
    this.isLate = this.isAlone = false; // alone: the server is gone, too
    this.waits = true;
    this.waiting = new Waiting(model.get("log"));
    this.heard = this.moved = performance.now();
    this.isIdle = false;
    this.hear = (message) => this.receive(message);
    model.on("msg:custom", this.hear);
    this.see = () => this.note(document.hidden ? "hidden" : "visible");
    document.addEventListener("visibilitychange", this.see);
    this.stir = () => this.awake();
    for (const kind of ["pointermove", "keydown"]) document.addEventListener(kind, this.stir, true);
    this.timer = setInterval(() => this.tick(), SOON);
    this.send({ kind: "hello" });
    this.asked = performance.now();
  }

  close() {
    clearInterval(this.timer);
    clearTimeout(this.probing);
    this.model.off("msg:custom", this.hear);
    document.removeEventListener("visibilitychange", this.see);
    for (const kind of ["pointermove", "keydown"]) document.removeEventListener(kind, this.stir, true);
  }

  send(content) {
    try {
      this.model.send({ ...content, page: this.name, tab: this.tab });
    } catch {} // the kernel is gone: acts wait, and the banner says so
  }

  get pending() {
    return [...this.waiting.acts.values()];
  }
  get acts() {
    return [...this.written, ...this.pending];
  }
  get said() {
    return fold(this.acts);
  }
  /** How many answers this page knows of. */
  answers(said = this.said) {
    return [...said[this.what].values()].filter((value) => value != null).length;
  }
  /** How many answers are not on the disk. */
  get unsaved() {
    return this.pending.filter((act) => !["page", "shown"].includes(act.events[0].what)).length;
  }

  /** Do something: events of one act, or the undo of another. */
  act(events, undo_of = null) {
    if (!this.writes) return;
    const now = { utc: new Date().toISOString(), ms: Math.round(performance.now()), visible: !document.hidden };
    const client = `${this.name}-${++this.count}`;
    this.waiting.add({ client, undo_of, events: events.map((event) => ({ ...now, ...event })) });
    this.push();
    this.changed("act");
  }
  note(state) {
    this.act([{ what: "page", new: state, how: "page" }]);
  }
  undo(kind) {
    const target = this.said[kind];
    if (target) this.act([{ what: "undo", how: "key" }], target);
    return Boolean(target);
  }
  push() {
    if (!this.writes || !this.pending.length) return;
    this.pushed = performance.now();
    this.send({ kind: "acts", acts: this.pending });
  }

  tick() {
    const now = performance.now();
    const late = now - this.heard > LATE && (this.pending.length > 0 || now - this.heard > NEWS + LATE);
    if (late !== this.isLate) {
      this.isLate = late;
      if (late) this.probe();
      this.changed("connection");
    }
    if (this.claims && now > this.claims) {
      this.claims = null;
      this.send({ kind: "claim", silent: true });
    }
    if (this.writes && this.pending.length && now - this.pushed > LATE) this.push();
    // Who has not answered is busy, and would have to read the same question again and again.
    const isHeard = this.heard > this.asked;
    if (now - this.asked > (this.writes && this.waits && isHeard ? SOON : NEWS)) {
      this.asked = now;
      this.send({ kind: this.writes ? "poll" : this.known ? "knock" : "hello" });
    }
    if (!this.isIdle && now - this.moved > IDLE && !document.hidden) {
      this.isIdle = true;
      this.note("idle");
    }
  }
  /** Ask the server itself: without it, nobody can run a cell. */
  async probe() {
    clearTimeout(this.probing);
    this.isAlone = await fetch(location.href, { method: "HEAD" }).then(() => false, () => true);
    this.changed("connection");
    if (this.isLate) this.probing = setTimeout(() => this.probe(), LATE);
  }
  awake() {
    this.moved = performance.now();
    if (this.isIdle) this.note("active");
    this.isIdle = false;
  }

  receive(message) {
    if (message.to && message.to !== this.name) return this.overhear(message);
    this.heard = performance.now();
    if (message.kind === "taken") this.claims = null;
    const kinds = { state: "begin", receipt: "acknowledge", tasks: "more", who: "answer", estimates: "estimate" };
    this.waits = message.waits ?? this.waits;
    if (message.kind in kinds) this[kinds[message.kind]](message);
    else if (message.kind === "failure") this.failure = message.problem;
    this.changed(message.kind);
  }
  /** Another page of this log has written: what it wrote is shown here too. */
  overhear(message) {
    if (message.kind === "state" && message.writes) {
      if (this.writes) this.why = "You write in another place now.";
      Object.assign(this, { writes: false, tasks: [...message.tasks], written: [...message.acts], before: message.before }); // two views of one page get one message
    }
    if (message.kind === "receipt") this.learn(message.written);
    this.changed(message.kind);
  }
  begin(message) {
    const opens = message.writes && !this.writes;
    Object.assign(this, { tasks: message.tasks, written: message.acts, writes: message.writes, why: message.why, again: message.again, before: message.before, jumpTo: null, known: true });
    if (message.writes) this.claims = null;
    this.waiting.remove(message.acts.map((act) => act.client));
    if (opens) {
      this.waiting.read();
      this.note("open");
      this.push();
    }
  }
  /** Take in what is written, once; what was written long ago comes first. */
  learn(acts, isOld = false) {
    const known = new Set(this.written.map((act) => act.client));
    const isWork = (act) => !["page", "shown"].includes(act.events[0].what);
    const more = acts.filter((act) => isWork(act) && !known.has(act.client));
    this.written = isOld ? [...more, ...this.written] : [...this.written, ...more];
  }
  acknowledge(message) {
    this.learn(message.written);
    this.waiting.remove([...message.written, ...message.refused].map((act) => act.client));
    this.refusals.push(...message.refused.map(({ why }) => why));
    this.failure = "";
    this.problem = message.problem;
  }
  more(message) {
    const had = this.answers();
    this.learn(message.acts, true);
    this.before -= this.answers() - had;
    this.jumpTo = message.jump ? this.tasks.length : null;
    this.tasks.push(...message.tasks);
  }
  /** Two pages on one log: who has it answers, and the other one reads; should nobody answer, it writes. */
  answer(message) {
    if (message.asks === this.name) this.claims = performance.now() + SILENT;
    else if (this.writes) this.send({ kind: "here", asks: message.asks });
  }
  estimate(message) {
    const { head } = this.said;
    for (const one of message.estimates) {
      for (const task of this.tasks.filter((task) => task.sentence === one.sentence)) {
        // A word that has its head has no other candidate now; who comes back to it wants to see them.
        const candidates = one.candidates?.map((row, m) => (head.get(`${one.sentence}\t${m}`) == null ? row : task.candidates?.[m] ?? row));
        Object.assign(task, one, { candidates });
      }
    }
  }
}

/** The line that says whether all is saved. */
function banner(page) {
  const some = page.unsaved === 1 ? "1 answer waits" : `${page.unsaved} answers wait`;
  if (!page.writes) return ["reads", page.why || "Opening…"];
  if (page.failure && !page.unsaved) return ["problem", `All is saved, but something went wrong: ${page.failure}`];
  if (page.problem) return ["problem", `Not saved: ${page.problem}. ${some} in this browser.`];
  if (page.isLate && page.isAlone) return ["problem", `The server is gone. ${page.unsaved ? `${some} in this browser. ` : ""}Start \`deppa annotate\` with the same file again, and go on there.`];
  if (page.isLate && page.unsaved) return ["problem", `Not connected, or the kernel is busy. ${some} in this browser. If this goes on, run the cells again to save them.`];
  if (page.isLate) return ["problem", "Not connected, or the kernel is busy. If it was restarted, run the cells again."];
  return page.unsaved ? ["saving", "Saving…"] : ["saved", "Saved"];
}
