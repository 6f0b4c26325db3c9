// Elements of the page. Text from data is set as text alone, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; a child is an element, a text, or nothing. */
function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

const number = new Intl.NumberFormat("en");

/** A count with its noun. */
function plural(many, noun) {
  return `${number.format(many)} ${noun}${many === 1 ? "" : "s"}`;
}

/** Seconds in words. */
function duration(seconds) {
  if (seconds >= 100) return `${number.format(Math.round(seconds))} s`;
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  if (seconds >= 0.01) return `${Math.round(seconds * 1e3)} ms`;
  return seconds >= 0.001 ? `${(seconds * 1e3).toFixed(1)} ms` : `${Math.round(seconds * 1e6)} µs`;
}

/** A link to another view of the page. */
function hrefTo(parts) {
  const given = Object.entries(parts).filter(([, value]) => value !== undefined && value !== "");
  return `#${new URLSearchParams(given)}`;
}

/** The value of an object under a name that anybody may have typed, such as `toString`. */
const ownValue = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const STATES = { solved: ["✓", "solved"], partly: ["◐", "partly"], open: ["○", "not solved"] };

/** A badge: a sign, which needs no colour, and a word. */
function badge(state) {
  const [sign, word] = STATES[state];
  return make("span", { class: `badge ${state}` }, make("span", { "aria-hidden": "true" }, sign), ` ${word}`);
}

/** Verdicts on the samples of a pair: a sign each, and in words for a screen reader. */
function verdicts(task, pattern) {
  const part = (letters) => {
    const known = letters.replaceAll("-", "").length;
    return known ? `${count(letters, "1")} of ${known}` : "not known";
  };
  const demo = pattern.exact.slice(0, task.demo);
  const test = pattern.exact.slice(task.demo);
  const sign = (letter) => make("i", { class: { 1: "right", 0: "wrong" }[letter] || "untold" });
  return make(
    "span",
    { class: "verdicts", role: "img", "aria-label": `demo ${part(demo)}, test ${part(test)}` },
    Array.from(demo, sign),
    make("b"),
    Array.from(test, sign),
  );
}

/** Failures by kind, such as `EMPTY 6`. */
function failureText(pattern) {
  const told = pattern.failures.map(([kind, many]) => `${kind} ${many}`);
  if (pattern.lost) told.push(`lost ${pattern.lost}`);
  return told.join(", ");
}
