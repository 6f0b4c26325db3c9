// A list in the page: a table of which only the rows in sight are there, with filter, search and sorting.

const OVERSCAN = 6; // rows beyond those in sight
const MOST_ROWS = 350000; // a page cannot be higher than about 17 million pixels
const MOST_PRINTED = 300;

/** A list: the rows that are chosen, in their order, and which one is active. */
class List {
  constructor(name) {
    this.name = name;
    this.spec = LISTS[name];
    this.state = {
      filter: "all",
      search: "",
      sort: this.spec.sort,
      down: this.columnOf(this.spec.sort).first < 0,
    };
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

  get countInWords() {
    const all = plural(this.spec.size, this.spec.noun);
    const many = this.rows.length;
    const words = many === this.spec.size ? all : `${number.format(many)} of ${all}`;
    return many > MOST_ROWS ? `${words}; the first ${number.format(MOST_ROWS)} are listed` : words;
  }

  /** Draw the list from anew. */
  draw() {
    this.choose();
    const { rows, spec } = this;
    const table = byId("table");
    table.className = spec.noun;
    byId("list-title").textContent = `${spec.noun[0].toUpperCase()}${spec.noun.slice(1)}s`;
    byId("count").textContent = this.countInWords;
    byId("nothing").hidden = rows.length > 0;
    table.hidden = rows.length === 0;
    table.setAttribute("aria-rowcount", rows.length + 1);
    byId("head").replaceChildren(this.headRow());
    this.fields();
    byId("rows").replaceChildren();
    this.shown.clear();
    byId("rows").style.height = `${Math.min(rows.length, MOST_ROWS) * this.height}px`;
    this.fill();
  }

  headRow() {
    const { sort, down } = this.state;
    const cells = this.spec.columns.map((column) => {
      const sorted = column.id === sort;
      return make(
        "div",
        {
          role: "columnheader",
          class: column.right ? "right" : null,
          "aria-sort": sorted ? (down ? "descending" : "ascending") : "none",
        },
        make(
          "button",
          { type: "button", onclick: () => this.sortBy(column.id) },
          column.title,
          make("span", { "aria-hidden": "true", class: "arrow" }, sorted ? (down ? "↓" : "↑") : ""),
        ),
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
    byId("filter").replaceChildren(
      ...this.spec.filters.map(([id, words]) =>
        make("option", { value: id, selected: chosen(id, filter) }, words),
      ),
    );
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
    const to = all
      ? Math.min(last, MOST_PRINTED)
      : Math.min(last, Math.ceil((top + innerHeight) / height) + OVERSCAN);
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
      const inside = position
        ? content
        : [make("a", { href: hrefTo(this.spec.link(row)), "aria-label": this.spec.label(row) }, content)];
      return make(
        "div",
        { role: "cell", class: column.right ? "right" : null, "data-title": column.title },
        inside,
      );
    });
    const element = make(
      "div",
      { role: "row", "aria-rowindex": place + 2, class: place % 2 ? "odd" : null },
      cells,
    );
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
