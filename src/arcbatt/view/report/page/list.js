// Lists: three tables of which only the rows in sight are in the page, with filter, search and sorting.

const OVERSCAN = 6; // rows beyond those in sight
const MOST_ROWS = 350000; // a page cannot be higher than about 17 million pixels
const MOST_PRINTED = 300;

const exactShare = (pair) => patterns[pairs.pattern[pair]].right;
const scoreOf = (pair) => (pairs.score[pair] === NO_SCORE ? -1 : pairs.score[pair]);
const taskState = (task) => (task.solvedBy ? "solved" : task.best >= 0 && exactShare(task.best) ? "partly" : "open");

function pairState(pair) {
  const pattern = patterns[pairs.pattern[pair]];
  return pattern.solved ? "solved" : pattern.right ? "partly" : "open";
}

/** The places of items in the order of their texts. */
function ranks(items, text) {
  const order = items.map((_, place) => place).sort((a, b) => (text(items[a]) < text(items[b]) ? -1 : 1));
  const found = new Uint32Array(items.length);
  order.forEach((place, rank) => (found[place] = rank));
  return found;
}

const taskRanks = ranks(tasks, (task) => task.id);
const programRanks = ranks(programs, (program) => program.name);

const failingFilters = (mask) =>
  kinds
    .filter((kind) => core.counts.failures[kind])
    .map((kind) => [`fails-${kind}`, `failing with ${kind}`, (row) => mask(row) & (1 << kinds.indexOf(kind))]);

/**
 * The lists. A column has a title, a key by which rows are sorted, a number, and what stands in a cell. `first`
 * is the direction that the column is sorted in at first: 1 from small to large. A filter has a name, words and
 * a test of a row.
 */
const LISTS = {
  tasks: {
    noun: "task",
    size: tasks.length,
    sort: "task",
    matches: (word) => {
      const byProgram = matchingPrograms(word);
      return (row) => {
        const task = tasks[row];
        if (task.id.toLowerCase().includes(word)) return true;
        for (let pair = task.start; pair < task.end; pair++) {
          const program = pairs.program[pair];
          if (byProgram[program] && (patterns[pairs.pattern[pair]].solved || programs[program].own === row)) return true;
        }
        return false;
      };
    },
    hint: "task id, program or source",
    link: (row) => ({ task: tasks[row].id }),
    label: (row) => `task ${tasks[row].id}`,
    columns: [
      { id: "task", title: "Task", first: 1, key: (row) => taskRanks[row], cell: taskCell },
      { id: "state", title: "State", first: -1, key: (row) => ["open", "partly", "solved"].indexOf(taskState(tasks[row])), cell: (row) => badge(taskState(tasks[row])) },
      { id: "solved", title: "Solved by", first: -1, right: true, key: (row) => tasks[row].solvedBy, cell: (row) => plural(tasks[row].solvedBy, "program") },
      { id: "near", title: "Best program", first: -1, key: (row) => (tasks[row].best < 0 ? -1 : worth(pairs, tasks[row].best)), cell: nearestCell },
      { id: "failing", title: "Failing programs", first: -1, right: true, key: (row) => failingOf(tasks[row]), cell: (row) => number.format(failingOf(tasks[row])) },
      ...(tasks.some((task) => task.seconds !== null)
        ? [{ id: "seconds", title: "Time", first: -1, right: true, key: (row) => tasks[row].seconds || 0, cell: (row) => duration(tasks[row].seconds || 0) }]
        : []),
    ],
    filters: [
      ["all", "all", () => true],
      ["solved", "solved", (row) => tasks[row].solvedBy],
      ["unsolved", "not solved", (row) => !tasks[row].solvedBy],
      ["partly", "partly right", (row) => taskState(tasks[row]) === "partly"],
      ["own", "not solved by their own program", (row) => tasks[row].ownFails],
      ...failingFilters((row) => tasks[row].kindMask),
    ],
  },
  programs: {
    noun: "program",
    size: programs.length,
    sort: "solved",
    matches: (word) => {
      const found = matchingPrograms(word);
      return (row) => found[row];
    },
    hint: "name, hash or source",
    link: (row) => ({ program: programKey(programs[row]) }),
    label: (row) => `program ${programs[row].name}`,
    columns: [
      { id: "program", title: "Program", first: 1, key: (row) => programRanks[row], cell: (row) => make("span", { class: "name" }, programs[row].name) },
      { id: "solved", title: "Tasks solved", first: -1, right: true, key: (row) => programs[row].solved, cell: (row) => `${number.format(programs[row].solved)} of ${number.format(programs[row].tasks)}` },
      { id: "exact", title: "Samples exact", first: -1, right: true, key: (row) => programs[row].right, cell: (row) => `${number.format(programs[row].right)} of ${number.format(programs[row].samples)}` },
      { id: "failing", title: "Failures", first: -1, right: true, key: (row) => programs[row].failed, cell: (row) => number.format(programs[row].failed) },
      { id: "lines", title: "Lines", first: 1, right: true, key: (row) => programs[row].lines || Infinity, cell: (row) => (programs[row].lines ? number.format(programs[row].lines) : "not known") },
    ],
    filters: [
      ["all", "all", () => true],
      ["solved", "solving some task", (row) => programs[row].solved],
      ["several", "solving several tasks", (row) => programs[row].solved > 1],
      ["unsolved", "solving none", (row) => !programs[row].solved],
      ...failingFilters((row) => programs[row].kindMask),
    ],
  },
  pairs: {
    noun: "pair",
    size: pairs.length,
    sort: "state",
    matches: (word) => {
      const found = matchingPrograms(word);
      const byTask = tasks.map((task) => task.id.toLowerCase().includes(word));
      return (row) => found[pairs.program[row]] || byTask[pairs.task[row]];
    },
    hint: "task id, program or source",
    link: (row) => ({ task: tasks[pairs.task[row]].id, program: programKey(programs[pairs.program[row]]) }),
    label: (row) => `${programs[pairs.program[row]].name} on ${tasks[pairs.task[row]].id}`,
    columns: [
      { id: "program", title: "Program", first: 1, key: (row) => programRanks[pairs.program[row]], cell: (row) => make("span", { class: "name" }, programs[pairs.program[row]].name) },
      { id: "task", title: "Task", first: 1, key: (row) => taskRanks[pairs.task[row]], cell: (row) => make("span", { class: "id" }, tasks[pairs.task[row]].id) },
      { id: "state", title: "State", first: -1, key: (row) => Math.min(1e9, worth(pairs, row)), cell: (row) => badge(pairState(row)) },
      { id: "exact", title: "Samples", first: -1, key: exactShare, cell: (row) => verdicts(tasks[pairs.task[row]], patterns[pairs.pattern[row]]) },
      { id: "failing", title: "Failures", first: -1, key: (row) => patterns[pairs.pattern[row]].failed, cell: (row) => failureText(patterns[pairs.pattern[row]]) },
    ],
    filters: [
      ["all", "all", () => true],
      ["solved", "solved", (row) => patterns[pairs.pattern[row]].solved],
      ["unsolved", "not solved", (row) => !patterns[pairs.pattern[row]].solved],
      ["partly", "partly right", (row) => pairState(row) === "partly"],
      ["own", "own task, not solved", (row) => !patterns[pairs.pattern[row]].solved && programs[pairs.program[row]].own === pairs.task[row]],
      ["fails", "failing", (row) => patterns[pairs.pattern[row]].failed],
      ...failingFilters((row) => patterns[pairs.pattern[row]].kindMask),
      ...(core.counts.lost ? [["lost", "stopped", (row) => patterns[pairs.pattern[row]].lost]] : []),
    ],
  },
};

function failingOf(task) {
  if (task.failing === undefined) {
    task.failing = 0;
    for (let pair = task.start; pair < task.end; pair++) task.failing += patterns[pairs.pattern[pair]].failed > 0;
  }
  return task.failing;
}

function taskCell(row) {
  return make("span", { class: "task-cell" }, thumbs(tasks[row], 44), make("span", { class: "id" }, tasks[row].id));
}

function nearestCell(row) {
  const { best } = tasks[row];
  if (best < 0) return "";
  const name = make("span", { class: "name" }, programs[pairs.program[best]].name);
  const score = scoreOf(best);
  return [verdicts(tasks[row], patterns[pairs.pattern[best]]), " ", name, make("small", {}, score >= 0 && !tasks[row].solvedBy ? ` score ${score}` : "")];
}

const lowered = new Map();

/** For each program whether its name, its hash or its source has a word. */
function matchingPrograms(word) {
  const sources = block("sources");
  return programs.map((program) => {
    if (!lowered.has(program)) {
      lowered.set(program, `${program.name}\n${program.hash}\n${sources[program.number]}`.toLowerCase());
    }
    return lowered.get(program).includes(word);
  });
}

/** A list in the page: the rows that are chosen, in their order, and which one is active. */
class List {
  constructor(name) {
    this.name = name;
    this.spec = LISTS[name];
    this.state = { filter: "all", search: "", sort: this.spec.sort, down: this.columnOf(this.spec.sort).first < 0 };
    this.rows = null;
    this.active = -1;
    this.scrolled = null;
    this.shown = new Map();
  }

  columnOf(id) {
    return this.spec.columns.find((column) => column.id === id) || this.spec.columns[0];
  }

  /** Take over what a link says; whether anything is another. */
  take(parts) {
    const given = parts.get("sort") || "";
    const column = this.columnOf(given.replace("-", "") || this.spec.sort);
    const next = {
      filter: this.spec.filters.some(([id]) => id === parts.get("filter")) ? parts.get("filter") : "all",
      search: parts.get("search") || "",
      sort: column.id,
      down: given ? given.startsWith("-") : column.first < 0,
    };
    const same = Object.keys(next).every((key) => next[key] === this.state[key]);
    if (same && this.rows) return false;
    this.state = next;
    this.rows = null;
    this.active = -1;
    this.scrolled = null;
    return true;
  }

  get href() {
    const { filter, search, sort, down } = this.state;
    const usual = sort === this.spec.sort && down === this.columnOf(sort).first < 0;
    return hrefTo({
      view: this.name,
      filter: filter === "all" ? "" : filter,
      search,
      sort: usual ? "" : `${down ? "-" : ""}${sort}`,
    });
  }

  /** Choose and sort the rows. */
  choose() {
    if (this.rows) return;
    const { filter, search, sort, down } = this.state;
    const [, , fits] = this.spec.filters.find(([id]) => id === filter);
    const words = search.toLowerCase().split(/\s+/).filter(Boolean).map(this.spec.matches);
    const { key } = this.columnOf(sort);
    const sign = down ? -1 : 1;
    const keys = new Float64Array(this.spec.size);
    const chosen = [];
    for (let row = 0; row < this.spec.size; row++) {
      if (fits(row) && words.every((matches) => matches(row))) {
        keys[row] = sign * key(row);
        chosen.push(row);
      }
    }
    this.rows = Uint32Array.from(chosen).sort((a, b) => keys[a] - keys[b] || a - b);
  }

  get height() {
    return parseFloat(getComputedStyle(byId("table")).getPropertyValue("--row"));
  }

  /** Draw the list from anew. */
  draw() {
    this.choose();
    const { rows, spec, state } = this;
    const table = byId("table");
    table.className = spec.noun;
    byId("list-title").textContent = `${spec.noun[0].toUpperCase()}${spec.noun.slice(1)}s`;
    byId("count").textContent =
      rows.length === spec.size ? plural(spec.size, spec.noun) : `${number.format(rows.length)} of ${plural(spec.size, spec.noun)}`;
    byId("nothing").hidden = rows.length > 0;
    table.hidden = rows.length === 0;
    table.setAttribute("aria-rowcount", rows.length + 1);
    byId("head").replaceChildren(this.headRow());
    this.fields();
    byId("rows").replaceChildren();
    this.shown.clear();
    byId("rows").style.height = `${Math.min(rows.length, MOST_ROWS) * this.height}px`;
    this.fill();
    return state;
  }

  headRow() {
    const { sort, down } = this.state;
    const cells = this.spec.columns.map((column) => {
      const sorted = column.id === sort;
      return make(
        "div",
        { role: "columnheader", class: column.right ? "right" : null, "aria-sort": sorted ? (down ? "descending" : "ascending") : "none" },
        make("button", { type: "button", onclick: () => this.sortBy(column.id) }, column.title, make("span", { "aria-hidden": "true", class: "arrow" }, sorted ? (down ? "↓" : "↑") : "")),
      );
    });
    return make("div", { role: "row", "aria-rowindex": 1 }, cells);
  }

  sortBy(id) {
    const { sort, down } = this.state;
    this.change({ sort: id, down: id === sort ? !down : this.columnOf(id).first < 0 });
    byId("head").querySelector(`[aria-sort$="ending"] button`)?.focus({ preventScroll: true });
  }

  /** Search, filter and sorting as fields. */
  fields() {
    const { filter, search, sort, down } = this.state;
    if (byId("search").value !== search) byId("search").value = search;
    byId("search").placeholder = this.spec.hint;
    const chosen = (value, one) => (value === one ? true : null);
    byId("filter").replaceChildren(...this.spec.filters.map(([id, words]) => make("option", { value: id, selected: chosen(id, filter) }, words)));
    const ways = this.spec.columns.flatMap((column) => {
      const last = `-${column.id}`;
      const now = `${down ? "-" : ""}${sort}`;
      return [
        make("option", { value: column.id, selected: chosen(column.id, now) }, `${column.title} ↑`),
        make("option", { value: last, selected: chosen(last, now) }, `${column.title} ↓`),
      ];
    });
    byId("sort").replaceChildren(...ways);
  }

  /** Change filter, search or sorting, also in the address. */
  change(next) {
    this.state = { ...this.state, ...next };
    this.rows = null;
    this.active = -1;
    this.draw();
    history.replaceState(null, "", this.href);
  }

  /** Put the rows in sight into the page, and remove the others. */
  fill(all = false) {
    const box = byId("rows");
    const { height } = this;
    const top = -box.getBoundingClientRect().top;
    const last = Math.min(this.rows.length, MOST_ROWS);
    const from = all ? 0 : Math.max(0, Math.floor(top / height) - OVERSCAN);
    const to = all ? Math.min(last, MOST_PRINTED) : Math.min(last, Math.ceil((top + innerHeight) / height) + OVERSCAN);
    for (const [place, element] of this.shown) {
      if ((place < from || place >= to) && !element.contains(document.activeElement)) {
        element.remove();
        this.shown.delete(place);
      }
    }
    for (let place = from; place < to; place++) {
      if (!this.shown.has(place)) this.put(place, box, height);
    }
  }

  put(place, box, height) {
    const row = this.rows[place];
    const cells = this.spec.columns.map((column, position) => {
      const content = [column.cell(row)].flat();
      const inside = position ? content : [make("a", { href: hrefTo(this.spec.link(row)), "aria-label": this.spec.label(row) }, content)];
      return make("div", { role: "cell", class: column.right ? "right" : null, "data-title": column.title }, inside);
    });
    const element = make("div", { role: "row", "aria-rowindex": place + 2, class: place % 2 ? "odd" : null }, cells);
    element.style.transform = `translateY(${place * height}px)`;
    element.dataset.place = place;
    this.shown.set(place, element);
    const after = Array.from(box.children).find((other) => Number(other.dataset.place) > place);
    box.insertBefore(element, after || null);
  }

  /** Make a row the active one: in sight and in focus. */
  activate(place) {
    if (!this.rows.length) return;
    this.active = Math.max(0, Math.min(this.rows.length - 1, place));
    const { height } = this;
    const box = byId("rows").getBoundingClientRect();
    const y = box.top + this.active * height;
    const head = byId("head").getBoundingClientRect().height + 60;
    if (y < head) scrollBy(0, y - head);
    else if (y + height > innerHeight) scrollBy(0, y + height - innerHeight + 8);
    this.fill();
    this.shown.get(this.active)?.querySelector("a").focus({ preventScroll: true });
  }
}
