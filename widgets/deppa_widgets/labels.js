// A label by type-ahead. Joined before the sources of widgets that give labels.

/**
 * Fill a panel with an input and the labels that match it: what begins as typed, then, as a new one, what is typed,
 * then what has it inside. So Enter completes a label, and takes one that nobody has used as it stands.
 */
function labelPanel(panel, title, names, { take, leave }) {
  let found = [], at = 0;
  const list = el("ul", { role: "listbox", class: "labels" }), why = el("div", { class: "why", role: "alert" });
  const input = el("input", { type: "text", "aria-label": title, spellcheck: "false", autocomplete: "off" });
  const show = () => {
    const typed = input.value.trim();
    const begins = names.filter((name) => name.startsWith(typed) && name !== typed), has = names.filter((name) => name.includes(typed));
    const isLabel = /^\S+$/.test(typed) && typed !== "_", isKnown = names.includes(typed);
    const own = isLabel && !isKnown ? [typed] : [];
    found = [...new Set([...(isKnown ? [typed] : []), ...begins.slice(0, 7), ...own, ...has])].slice(0, 9);
    why.textContent = typed && !isLabel ? (typed === "_" ? "_ means that there is no label." : "A label has no spaces.") : "";
    at = Math.min(at, Math.max(found.length - 1, 0));
    list.replaceChildren(...found.map((name, k) =>
      el("li", { role: "option", "aria-selected": String(k === at), onpointerdown: (event) => (event.preventDefault(), take(name)) }, name, names.includes(name) ? "" : el("i", {}, " new"))));
  };
  input.addEventListener("input", () => ((at = 0), show()));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Tab") return leave();
    event.stopPropagation();
    if (event.repeat && !input.value) return event.preventDefault(); // the key that opened the panel is still down
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) at = Math.min(Math.max(at + by, 0), found.length - 1);
    else if (event.key === "Enter" && found[at]) take(found[at]);
    else if (event.key === "Escape") leave();
    else return;
    event.preventDefault();
    show();
  });
  panel.replaceChildren(el("label", { class: "title" }, title, input), why, list);
  show();
  input.focus({ preventScroll: true });
  panel.scrollIntoView({ block: "nearest" });
}
