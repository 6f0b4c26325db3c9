// The summary: what was run, what was solved, failures by kind, and a mosaic of all tasks.

function fillSummary() {
  const { counts, summary, kind } = core;
  byId("source").textContent = core.title;
  byId("made").textContent = `Made by arcbatt ${core.version} from ${core.title}.`;
  byId("overview-title").replaceChildren(
    make("b", {}, number.format(counts.tasks_solved)),
    ` of ${plural(counts.tasks, "task")} solved`,
  );
  const facts = [
    ["Programs", number.format(counts.programs)],
    [
      "Pairs",
      number.format(counts.pairs),
      `of program and task; ${number.format(counts.pairs_solved)} solve`,
    ],
    ["Evaluations", number.format(counts.evaluations)],
    ...timeFacts(summary),
    ...(summary.backend
      ? [
          [
            "Backend",
            String(summary.backend),
            summary.threads ? plural(Number(summary.threads), "thread") : "",
          ],
        ]
      : []),
  ];
  byId("summary").replaceChildren(
    mosaic(),
    make(
      "dl",
      { class: "facts" },
      facts.map(([term, value, more]) =>
        make("div", {}, make("dt", {}, term), make("dd", {}, value, more ? make("small", {}, more) : "")),
      ),
    ),
    ...(Object.keys(counts.failures).length ? [failureBars(counts.failures)] : []),
    ...(core.notes.length
      ? [
          make(
            "ul",
            { class: "notes", "aria-label": "Notes" },
            core.notes.map((note) => make("li", {}, note)),
          ),
        ]
      : []),
    ...(core.runs.length ? [runsOf(core.runs)] : []),
  );
  document.body.dataset.kind = kind;
}

function timeFacts(summary) {
  if (!summary.seconds) return [];
  const pace = summary.evaluations_per_second
    ? `${number.format(Math.round(summary.evaluations_per_second))} evaluations a second`
    : "";
  return [["Time of the run", duration(Number(summary.seconds)), pace]];
}

/** Failures by kind; each leads to the pairs that fail so. */
function failureBars(failures) {
  const most = Math.max(...Object.values(failures));
  const rows = Object.entries(failures).map(([kind, many]) => {
    const bar = draw(
      "svg",
      { class: "meter", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("path", {
        d: `M0 0h${Math.max(0.6, (100 * many) / most)}v6h-${Math.max(0.6, (100 * many) / most)}z`,
      }),
    );
    const link = make(
      "a",
      { href: hrefTo({ view: "pairs", filter: `fails-${kind}` }), title: core.meanings[kind] },
      kind,
    );
    return make("li", {}, link, bar, make("span", { class: "many" }, number.format(many)));
  });
  return make("div", { class: "failures" }, make("h2", {}, "Failures by kind"), make("ul", {}, rows));
}

/** A cell for each task, by its state; the list below has the same in words. */
function mosaic() {
  const wide = Math.max(64, Math.ceil(Math.sqrt(tasks.length * 10)));
  const high = Math.ceil(tasks.length / wide);
  const states = tasks.map(taskState);
  const many = (state) => states.filter((each) => each === state).length;
  const parts = `${many("solved")} are solved, ${many("partly")} partly, ${many("open")} not at all`;
  const label = `Of ${plural(tasks.length, "task")}, ${parts}.`;
  const cells = states.map((state, place) => {
    const x = place % wide;
    const y = Math.floor(place / wide);
    const size = { solved: 0.86, partly: 0.86, open: 0.4 }[state];
    const shift = (1 - size) / 2;
    const shape =
      state === "partly"
        ? `M${x + 0.07} ${y + 0.93}v-.86l.86 .86z`
        : `M${x + shift} ${y + shift}h${size}v${size}h-${size}z`;
    return draw("path", { class: state, d: shape, "data-task": place }, draw("title", {}, tasks[place].id));
  });
  const picture = draw(
    "svg",
    { class: "mosaic", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label },
    cells,
  );
  picture.addEventListener("click", (event) => {
    const place = event.target.closest("[data-task]")?.dataset.task;
    if (place !== undefined) location.hash = hrefTo({ task: tasks[place].id });
  });
  const key = (state) => make("li", {}, badge(state), ` ${number.format(many(state))}`);
  return make(
    "figure",
    { class: "overview" },
    picture,
    make("figcaption", {}, make("ul", { class: "legend" }, ["solved", "partly", "open"].map(key))),
  );
}

/** The runs of an archive: the command, how far it got, its settings. */
function runsOf(runs) {
  const rows = runs.map(([command, done, settings]) =>
    make("tr", {}, make("th", { scope: "row" }, command), make("td", {}, done), make("td", {}, settings)),
  );
  const titles = ["Run", "Done", "Settings"].map((title) => make("th", { scope: "col" }, title));
  const table = make("table", {}, make("thead", {}, make("tr", {}, titles)), make("tbody", {}, rows));
  return make("details", { class: "runs" }, make("summary", {}, plural(runs.length, "run")), table);
}
