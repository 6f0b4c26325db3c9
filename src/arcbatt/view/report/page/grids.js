// Grids: pictures in SVG, or digits. Cells that differ from the expected grid are marked by a cross.

let asDigits = false;
const COLORS = [
  "black",
  "blue",
  "red",
  "green",
  "yellow",
  "grey",
  "magenta",
  "orange",
  "light blue",
  "maroon",
];

/** The cells of a grid that differ from another one, as [row, column]; of grids of two sizes all others. */
function differing(rows, expected) {
  const found = [];
  if (!expected) return found;
  rows.forEach((row, i) => {
    for (let j = 0; j < row.length; j++) {
      if (!expected[i] || row[j] !== expected[i][j]) found.push([i, j]);
    }
  });
  return found;
}

/** The size of a grid in words. */
function sizeOf(rows) {
  return `${rows.length} × ${rows[0].length}`;
}

/** How many cells differ. */
function differingInWords(marked) {
  return `${plural(marked.length, "cell")} ${marked.length === 1 ? "differs" : "differ"}`;
}

/** What a picture shows, for those who do not see it. */
function described(rows, marked) {
  const present = COLORS.filter((_, digit) => rows.some((row) => row.includes(String(digit))));
  const wrong = marked.length ? `, ${differingInWords(marked)}` : "";
  const size = `${plural(rows.length, "row")} and ${plural(rows[0].length, "column")}`;
  return `grid of ${size}, ${present.join(", ")}${wrong}`;
}

/** A grid as a picture of at most so many pixels, or as digits. */
function gridOf(rows, most, marked = [], label = "") {
  if (asDigits) return digitsOf(rows, marked, label);
  return pictureOf(
    rows,
    Math.max(3, Math.min(24, Math.floor(most / Math.max(rows.length, rows[0].length)))),
    marked,
    label,
  );
}

/** A picture with cells of a size in pixels. */
function pictureOf(rows, cell, marked = [], label = "") {
  const height = rows.length;
  const width = rows[0].length;
  const name = label ? `${label}: ${described(rows, marked)}` : undefined;
  return draw(
    "svg",
    {
      class: "grid",
      viewBox: `0 0 ${width} ${height}`,
      width: width * cell,
      height: height * cell,
      role: label ? "img" : undefined,
      "aria-label": name,
      "aria-hidden": label ? undefined : "true",
    },
    colored(rows),
    cell >= 5 ? draw("path", { class: "lines", d: linesOf(height, width) }) : null,
    marked.length ? crosses(marked) : null,
  );
}

/** A path for each colour, made of runs of equal cells. */
function colored(rows) {
  const paths = new Map();
  rows.forEach((row, i) => {
    for (let j = 0, end; j < row.length; j = end) {
      for (end = j + 1; row[end] === row[j];) end++;
      paths.set(row[j], `${paths.get(row[j]) || ""}M${j} ${i}h${end - j}v1h${j - end}z`);
    }
  });
  return Array.from(paths, ([digit, d]) => draw("path", { class: `c${digit}`, d }));
}

function linesOf(height, width) {
  let d = "";
  for (let i = 1; i < height; i++) d += `M0 ${i}h${width}`;
  for (let j = 1; j < width; j++) d += `M${j} 0v${height}`;
  return d;
}

function crosses(marked) {
  const d = marked.map(([i, j]) => `M${j + 0.22} ${i + 0.22}l.56 .56m0 -.56l-.56 .56`).join("");
  return [draw("path", { class: "cross under", d }), draw("path", { class: "cross", d })];
}

/** A grid as digits; a star stands behind a digit that differs. */
function digitsOf(rows, marked, label) {
  const stars = new Set(marked.map(([i, j]) => `${i} ${j}`));
  const text = rows.map((row, i) =>
    Array.from(row, (digit, j) => digit + (stars.has(`${i} ${j}`) ? "*" : " ")).join(""),
  );
  return make(
    "pre",
    { class: "digits", tabindex: "0", role: "group", "aria-label": label || "grid" },
    text.join("\n"),
  );
}

/** The first sample of a task as two small pictures, of so many pixels each at most. */
function thumbs(task, most) {
  const grids = gridsOf(task);
  const shown = grids ? [grids[0], grids[1]].filter(Boolean) : [];
  const small = (rows) => pictureOf(rows, most / Math.max(rows.length, rows[0].length));
  return make("span", { class: "thumbs" }, shown.map(small));
}
