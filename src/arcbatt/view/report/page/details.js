// The page of a task, with the outputs of a chosen program, and the page of a program.

const LISTED = 40; // programs of a task that are listed at once
const PICTURES = 24; // tasks that the page of a program shows as pictures
const SIDE = 250; // pixels of the longer side of a grid

/** The page of a task. */
function taskDetails(task, program) {
  const ordered = bestFirst(task);
  const pair = program ? pairOf(task, program) : ordered.length ? ordered[0] : -1;
  const shown = pair >= 0 ? programs[pairs.program[pair]] : null;
  const heading = make(
    "h1",
    { tabindex: "-1" },
    make("span", { class: "kicker" }, "Task"),
    " ",
    make("span", { class: "id" }, task.id),
    " ",
    badge(taskState(task)),
  );
  const facts = [
    plural(task.demo, "demo sample"),
    plural(task.test, "test sample"),
    `solved by ${number.format(task.solvedBy)} of ${plural(task.end - task.start, "program")}`,
    ...(task.seconds === null ? [] : [`search of ${duration(task.seconds)}`]),
  ];
  return [
    make("header", { class: "details-head" }, heading, make("p", {}, facts.join(" · ")), digitsButton()),
    make(
      "div",
      { class: "columns" },
      make("section", { class: "samples", "aria-labelledby": "samples-title" }, samplesOf(task, pair, shown)),
      make(
        "aside",
        { "aria-label": "Programs" },
        shown ? chosenProgram(task, pair, shown) : "",
        programsOf(task, ordered, pair),
      ),
    ),
  ];
}

function digitsButton() {
  return make(
    "button",
    { type: "button", class: "plain", id: "digits", "aria-pressed": String(asDigits), onclick: toggleDigits },
    "Digits ",
    make("kbd", {}, "d"),
  );
}

/** Each sample: input, expected output, and the output of the chosen program. */
function samplesOf(task, pair, program) {
  const title = make(
    "h2",
    { id: "samples-title" },
    program ? ["Samples, with outputs of ", make("span", { class: "name" }, program.name)] : "Samples",
  );
  const grids = gridsOf(task);
  if (!grids) return [title, make("p", {}, "The grids of this task are not in the report.")];
  const outcomes = pair >= 0 ? outcomesOf(pair) : [];
  const rows = [];
  for (let sample = 0; sample < task.demo + task.test; sample++) {
    const name = sample < task.demo ? `Demo ${sample + 1}` : `Test ${sample - task.demo + 1}`;
    const [input, expected] = [grids[2 * sample], grids[2 * sample + 1]];
    rows.push(
      make(
        "div",
        { class: "sample" },
        make("h3", {}, name),
        panel("Input", input, `${name}, input`),
        expected
          ? panel("Expected", expected, `${name}, expected`)
          : panel("Expected", null, "", "not known"),
        outcomes[sample] ? outcomePanel(outcomes[sample], expected, `${name}, output`) : "",
      ),
    );
  }
  const untold = outcomes.some((outcome) => outcome.unknown);
  return [
    title,
    untold
      ? make(
          "p",
          { class: "aside" },
          "The report has the verdicts of this pair, and its outputs where they are exact.",
        )
      : "",
    ...rows,
  ];
}

function panel(title, rows, label, words = "", marked = [], state = "") {
  return make(
    "figure",
    { class: `panel ${state}` },
    make("figcaption", {}, title, rows ? make("small", {}, sizeOf(rows)) : ""),
    rows ? gridOf(rows, SIDE, marked, label) : "",
    words ? make("p", { class: "words" }, words) : "",
  );
}

/** The output of a program beside the expected one. */
function outcomePanel(outcome, expected, label) {
  if (outcome.exact) return panel("✓ Output", outcome.rows, label, "exact", [], "right");
  if (outcome.unknown) return panel("Output", null, "", "not exact; not in the report", [], "untold");
  if (outcome.failure) {
    const meaning = ownValue(core.meanings, outcome.failure) || "";
    const figure = panel(`✗ ${outcome.failure}`, null, "", meaning, [], "wrong");
    if (outcome.where) figure.append(make("code", { class: "where" }, outcome.where));
    return figure;
  }
  if (outcome.value) {
    const figure = panel("✗ No grid", null, "", "", [], "wrong");
    figure.append(make("code", { class: "where" }, outcome.value));
    return figure;
  }
  if (!expected) return panel("Output", outcome.rows, label);
  const marked = differing(outcome.rows, expected);
  const words =
    sizeOf(outcome.rows) === sizeOf(expected)
      ? differingInWords(marked)
      : "another size than expected";
  return panel("✗ Output", outcome.rows, label, words, marked, "wrong");
}

/** The chosen program of a task: its verdicts, its time, its source. */
function chosenProgram(task, pair, program) {
  const pattern = patterns[pairs.pattern[pair]];
  const time = block("times")[`${task.number} ${program.number}`];
  const score = scoreOf(pair);
  const facts = [
    ["Samples", verdicts(task, pattern)],
    ...(score >= 0 && !pattern.solved ? [["Score", `${score} of 1000`]] : []),
    ...(pattern.failed || pattern.lost ? [["Failures", failureText(pattern)]] : []),
    ...(time === undefined ? [] : [["Time", `${duration(time / 1e6)} for all samples`]]),
  ];
  return make(
    "section",
    { class: "chosen", "aria-labelledby": "chosen-title" },
    make(
      "h2",
      { id: "chosen-title" },
      make("a", { class: "name", href: hrefTo({ program: programKey(program) }) }, program.name),
      " ",
      badge(pairState(pair)),
    ),
    factsOf(facts),
    sourceOf(program),
    pattern.solved ? "" : traceHint(program, task),
  );
}

/** The command that shows each step, if it is known where the program stands. */
function traceHint(program, task) {
  const plain = [program.name, task.id].every((name) => /^\w+$/.test(name)); // as words of a command line
  const where = { library: "", file: "FILE:" }[core.origin];
  if (!plain || where === undefined || !block("sources")[program.number]) return "";
  return make(
    "p",
    { class: "aside" },
    "To see each step: ",
    make("code", {}, `arcbatt trace ${where}${program.name} ${task.id}`),
  );
}

function factsOf(facts) {
  return make(
    "dl",
    { class: "small-facts" },
    facts.map(([term, value]) => make("div", {}, make("dt", {}, term), make("dd", {}, value))),
  );
}

function sourceOf(program) {
  const source = block("sources")[program.number];
  if (!source) return make("p", { class: "aside" }, "The source of this program is not in the report.");
  return make(
    "pre",
    { class: "source", tabindex: "0", role: "group", "aria-label": `Source of ${program.name}` },
    source.trimEnd(),
  );
}

/** The programs on a task, best first. */
function programsOf(task, ordered, chosen) {
  const items = longList(ordered, (pair) => {
    const program = programs[pairs.program[pair]];
    return pairItem(pair, "name", program.name, pair === chosen);
  });
  return make(
    "section",
    { "aria-labelledby": "programs-title" },
    make("h2", { id: "programs-title" }, "Programs, best first"),
    items,
  );
}

/** A pair in a list: a link to it, its failures and its verdicts. */
function pairItem(pair, kind, words, isChosen) {
  const task = tasks[pairs.task[pair]];
  const pattern = patterns[pairs.pattern[pair]];
  const href = hrefTo({ task: task.id, program: programKey(programs[pairs.program[pair]]) });
  const link = make("a", { class: kind, href, "aria-current": isChosen ? "true" : null }, words);
  return make("li", {}, link, make("small", {}, failureText(pattern)), verdicts(task, pattern));
}

/** A list of which a part is shown, and more on request. */
function longList(values, item) {
  const list = make("ol", { class: "program-list" });
  const more = make("button", { type: "button", class: "plain" });
  let shown = 0;
  const extend = () => {
    list.append(...values.slice(shown, shown + LISTED).map(item));
    shown = Math.min(values.length, shown + LISTED);
    more.textContent = `Show more of ${number.format(values.length - shown)}`;
    more.hidden = shown === values.length;
  };
  more.addEventListener("click", extend);
  extend();
  return [list, more];
}

/** The page of a program: its source, its lineage, the tasks that it ran on. */
function programDetails(program) {
  const found = [];
  for (let pair = 0; pair < pairs.length; pair++)
    if (pairs.program[pair] === program.number) found.push(pair);
  found.sort((a, b) => worth(pairs, b) - worth(pairs, a) || a - b);
  const facts = [
    ["Tasks solved", `${number.format(program.solved)} of ${number.format(program.tasks)}`],
    ["Samples exact", `${number.format(program.right)} of ${number.format(program.samples)}`],
    ["Failures", number.format(program.failed)],
    ...(program.hash ? [["Hash", make("code", {}, program.hash)]] : []),
    ...keptTimes(program),
  ];
  const heading = make(
    "h1",
    { tabindex: "-1" },
    make("span", { class: "kicker" }, "Program"),
    " ",
    make("span", { class: "name" }, program.name),
  );
  return [
    make("header", { class: "details-head" }, heading),
    make(
      "div",
      { class: "columns" },
      make(
        "section",
        { "aria-label": "Program" },
        factsOf(facts),
        sourceOf(program),
        solvedPictures(found),
        lineageOf(program),
      ),
      make("aside", { "aria-label": "Tasks" }, tasksOf(found)),
    ),
  ];
}

function keptTimes(program) {
  const kept = block("kept").filter(([of]) => of === program.number);
  return kept
    .slice(0, 5)
    .map(([, task, score, time]) => [`Kept for ${task}`, `score ${score}, time ${time}`]);
}

/** The tasks that a program ran on, best first. */
function tasksOf(found) {
  const items = longList(found, (pair) => pairItem(pair, "id", tasks[pairs.task[pair]].id, false));
  return make(
    "section",
    { "aria-labelledby": "tasks-title" },
    make("h2", { id: "tasks-title" }, "Tasks, best first"),
    items,
  );
}

/** The tasks that a program solves, as pictures. */
function solvedPictures(found) {
  const solved = found.filter((pair) => patterns[pairs.pattern[pair]].solved).slice(0, PICTURES);
  const items = solved.map((pair) => {
    const task = tasks[pairs.task[pair]];
    return make(
      "li",
      {},
      make(
        "a",
        { href: hrefTo({ task: task.id }) },
        thumbs(task, 72),
        make("span", { class: "id" }, task.id),
      ),
    );
  });
  if (!items.length) return "";
  return make(
    "section",
    { "aria-labelledby": "solved-title" },
    make("h2", { id: "solved-title" }, "Solves"),
    make("ul", { class: "pictures" }, items),
  );
}

/** Where a program comes from, and what came of it. */
function lineageOf(program) {
  const steps = block("lineage");
  const byHash = new Map(programs.map((each) => [each.hash, each]));
  const linkTo = (other, hash) =>
    other
      ? make("a", { class: "name", href: hrefTo({ program: programKey(other) }) }, other.name)
      : make("code", {}, hash.slice(0, 12));
  const above = (number, depth, seen) =>
    steps
      .filter(([child, parent]) => child === number && !seen.has(parent))
      .map(([, parent, mutation]) => {
        seen.add(parent);
        const other = byHash.get(parent);
        const rest = other && depth < 20 ? above(other.number, depth + 1, seen) : [];
        return make(
          "li",
          {},
          linkTo(other, parent),
          mutation ? make("small", {}, mutation) : "",
          rest.length ? make("ol", {}, rest) : "",
        );
      });
  const parents = above(program.number, 0, new Set([program.hash]));
  const children = [
    ...new Set(steps.filter(([, parent]) => parent === program.hash).map(([child]) => child)),
  ];
  if (!parents.length && !children.length) return "";
  return make(
    "section",
    { class: "lineage", "aria-labelledby": "lineage-title" },
    make("h2", { id: "lineage-title" }, "Lineage"),
    parents.length ? [make("h3", {}, "Made of"), make("ol", {}, parents)] : "",
    children.length
      ? [
          make("h3", {}, "Made into"),
          make(
            "ol",
            {},
            children.slice(0, 200).map((child) => make("li", {}, linkTo(programs[child]))),
          ),
        ]
      : "",
  );
}
