// The page as a whole: which view the address asks for, and the keys.

const lists = { tasks: new List("tasks"), programs: new List("programs"), pairs: new List("pairs") };
let current = lists.tasks;
let opened = null; // the task or program whose page is open

/** Show the view that the address asks for. */
function route() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const task = taskById.get(parts.get("task"));
  const program = programByKey.get(parts.get("program"));
  if (!opened && !byId("listing").hidden) current.scrolled = scrollY;
  if (task || program) open(task, program);
  else showList(ownValue(lists, parts.get("view")) || lists.tasks, parts);
  for (const link of byId("tabs").children) {
    if (!opened && link.dataset.list === current.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

function showList(list, parts) {
  const returning = opened !== null;
  opened = null;
  current = list;
  list.take(parts);
  byId("details").hidden = true;
  byId("details").replaceChildren();
  byId("overview").hidden = byId("listing").hidden = false;
  byId("overview").classList.toggle("brief", list !== lists.tasks);
  document.title = `arcbatt report: ${core.title}`;
  list.draw();
  scrollTo(0, list.scrolled || 0);
  if (returning && list.active >= 0) list.activate(list.active);
}

function open(task, program) {
  const again = opened && task && opened.task === task;
  opened = { task, program };
  const place = scrollY;
  byId("overview").hidden = byId("listing").hidden = true;
  byId("details").replaceChildren(
    backLinks(task, program),
    ...(task ? taskDetails(task, program) : programDetails(program)),
  );
  byId("details").hidden = false;
  document.title = `${task ? `Task ${task.id}` : program.name}: arcbatt report`;
  scrollTo(0, again ? place : 0);
  if (!again) byId("details").querySelector("h1").focus({ preventScroll: true });
}

/** Links back to the list and to the neighbours in it. */
function backLinks(task, program) {
  const [before, after] = neighbours(task, program);
  const link = (parts, words, rel) => (parts ? make("a", { href: hrefTo(parts), rel }, words) : "");
  return make(
    "nav",
    { class: "back", "aria-label": "Neighbours" },
    make("a", { href: current.href }, `All ${current.name}`),
    link(before, "← Previous", "prev"),
    link(after, "Next →", "next"),
  );
}

/** The links of the rows before and after the open one, in the list that it was opened from. */
function neighbours(task, program) {
  const list =
    task && current === lists.programs
      ? lists.tasks
      : !task && current !== lists.programs
        ? lists.programs
        : current;
  list.choose();
  const isOpen = {
    tasks: (row) => tasks[row] === task,
    programs: (row) => programs[row] === program,
    pairs: (row) => tasks[pairs.task[row]] === task && (!program || programs[pairs.program[row]] === program),
  }[list.name];
  const place = list.rows.findIndex(isOpen);
  if (place < 0) return [null, null];
  if (list === current) list.active = place;
  return [place - 1, place + 1].map((other) =>
    other >= 0 && other < list.rows.length ? list.spec.link(list.rows[other]) : null,
  );
}

function toggleDigits() {
  asDigits = !asDigits;
  if (opened) open(opened.task, opened.program);
  byId("digits")?.focus({ preventScroll: true });
}

function tabs() {
  byId("tabs").replaceChildren(
    ...Object.values(lists).map((list) =>
      make(
        "a",
        {
          href: hrefTo({ view: list.name }),
          "data-list": list.name,
          onclick: (event) => revisit(event, list),
        },
        list.name[0].toUpperCase() + list.name.slice(1),
        make("small", {}, number.format(list.spec.size)),
      ),
    ),
  );
}

/** A tab shows its list as it was left. */
function revisit(event, list) {
  event.preventDefault();
  location.hash = list.href;
}

/** Act on a key; whether it meant something. */
function press(key) {
  const inSearch = document.activeElement === byId("search");
  if (key === "Escape") return escape(inSearch);
  if (inSearch) {
    if (key === "ArrowDown" || key === "Enter") return (current.activate(0), true);
    return false;
  }
  const actions = {
    "/": () => (
      opened && (location.hash = current.href),
      requestAnimationFrame(() => byId("search").focus())
    ),
    "?": () => byId("help").showModal(),
    d: toggleDigits,
    1: () => (location.hash = lists.tasks.href),
    2: () => (location.hash = lists.programs.href),
    3: () => (location.hash = lists.pairs.href),
  };
  const inList = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  const inDetails = { ArrowRight: "next", j: "next", ArrowLeft: "prev", k: "prev" };
  if (!opened && Object.hasOwn(inList, key)) current.activate(current.active + inList[key]);
  else if (opened && Object.hasOwn(inDetails, key))
    byId("details").querySelector(`nav [rel="${inDetails[key]}"]`)?.click();
  else if (Object.hasOwn(actions, key)) actions[key]();
  else return false;
  return true;
}

function escape(inSearch) {
  if (opened) location.hash = current.href;
  else if (inSearch || current.state.search || current.state.filter !== "all") {
    current.change({ search: "", filter: "all" });
    byId("search").blur();
  } else return false;
  return true;
}

function listen() {
  let waiting = false;
  const later = () => {
    if (waiting || opened) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (!opened) current.fill();
    });
  };
  addEventListener("hashchange", route);
  addEventListener("scroll", later, { passive: true });
  addEventListener("resize", () => !opened && current.draw());
  addEventListener("beforeprint", () => !opened && printable());
  addEventListener("afterprint", () => !opened && current.draw());
  byId("search").addEventListener("input", (event) => current.change({ search: event.target.value }));
  byId("filter").addEventListener("change", (event) => current.change({ filter: event.target.value }));
  byId("sort").addEventListener("change", (event) =>
    current.change({ sort: event.target.value.replace("-", ""), down: event.target.value.startsWith("-") }),
  );
  byId("help-button").addEventListener("click", () => byId("help").showModal());
  byId("skip").addEventListener("click", (event) => (event.preventDefault(), byId("main").focus()));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open || event.target.closest("select"))
      return;
    if (event.target.closest("pre") && event.key.startsWith("Arrow")) return;
    if (press(event.key)) event.preventDefault();
  });
}

/** On paper a list has its first rows, and says how many there are. */
function printable() {
  current.fill(true);
  const many = current.rows.length;
  byId("cut").textContent =
    many > MOST_PRINTED ? `These are the first ${MOST_PRINTED} of ${plural(many, current.spec.noun)}.` : "";
}

fillSummary();
tabs();
listen();
route();
document.documentElement.dataset.ready = "";
