// What every widget builds with. Joined before its own source.

/** An element with attributes and children; text is always text, never markup. */
function el(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "rect", "text", "tspan", "title", "line", "circle"].includes(name);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}
