// The three lists: their columns, by which rows are sorted, their filters, and what a search looks at.

const exactShare = (pair) => patterns[pairs.pattern[pair]].right;
const scoreOf = (pair) => (pairs.score[pair] === NO_SCORE ? -1 : pairs.score[pair]);
const taskState = (task) =>
  task.solvedBy ? "solved" : task.best >= 0 && exactShare(task.best) ? "partly" : "open";

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
    .map((kind) => [
      `fails-${kind}`,
      `failing with ${kind}`,
      (row) => mask(row) & (1 << kinds.indexOf(kind)),
    ]);

/**
 * The lists. A column has a title, a key, which is a number by which rows are sorted, and the content of a
 * cell. `first` is the direction that it is sorted in at first: 1 from small to large. A filter has a name,
 * words and a test of a row.
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
          if (byProgram[program] && (patterns[pairs.pattern[pair]].solved || programs[program].own === row))
            return true;
        }
        return false;
      };
    },
    hint: "task id, program or source",
    link: (row) => ({ task: tasks[row].id }),
    label: (row) => `task ${tasks[row].id}`,
    columns: [
      { id: "task", title: "Task", first: 1, key: (row) => taskRanks[row], cell: taskCell },
      {
        id: "state",
        title: "State",
        first: -1,
        key: (row) => ["open", "partly", "solved"].indexOf(taskState(tasks[row])),
        cell: (row) => badge(taskState(tasks[row])),
      },
      {
        id: "solved",
        title: "Solved by",
        first: -1,
        right: true,
        key: (row) => tasks[row].solvedBy,
        cell: (row) => plural(tasks[row].solvedBy, "program"),
      },
      {
        id: "near",
        title: "Best program",
        first: -1,
        key: (row) => (tasks[row].best < 0 ? -1 : worth(pairs, tasks[row].best)),
        cell: nearestCell,
      },
      {
        id: "failing",
        title: "Failing programs",
        first: -1,
        right: true,
        key: (row) => failingOf(tasks[row]),
        cell: (row) => number.format(failingOf(tasks[row])),
      },
      ...(tasks.some((task) => task.seconds !== null)
        ? [
            {
              id: "seconds",
              title: "Time",
              first: -1,
              right: true,
              key: (row) => tasks[row].seconds || 0,
              cell: (row) => duration(tasks[row].seconds || 0),
            },
          ]
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
      {
        id: "program",
        title: "Program",
        first: 1,
        key: (row) => programRanks[row],
        cell: (row) => make("span", { class: "name" }, programs[row].name),
      },
      {
        id: "solved",
        title: "Tasks solved",
        first: -1,
        right: true,
        key: (row) => programs[row].solved,
        cell: (row) => `${number.format(programs[row].solved)} of ${number.format(programs[row].tasks)}`,
      },
      {
        id: "exact",
        title: "Samples exact",
        first: -1,
        right: true,
        key: (row) => programs[row].right,
        cell: (row) => `${number.format(programs[row].right)} of ${number.format(programs[row].samples)}`,
      },
      {
        id: "failing",
        title: "Failures",
        first: -1,
        right: true,
        key: (row) => programs[row].failed,
        cell: (row) => number.format(programs[row].failed),
      },
      {
        id: "lines",
        title: "Lines",
        first: 1,
        right: true,
        key: (row) => programs[row].lines || Infinity,
        cell: (row) => (programs[row].lines ? number.format(programs[row].lines) : "not known"),
      },
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
      {
        id: "program",
        title: "Program",
        first: 1,
        key: (row) => programRanks[pairs.program[row]],
        cell: (row) => make("span", { class: "name" }, programs[pairs.program[row]].name),
      },
      {
        id: "task",
        title: "Task",
        first: 1,
        key: (row) => taskRanks[pairs.task[row]],
        cell: (row) => make("span", { class: "id" }, tasks[pairs.task[row]].id),
      },
      {
        id: "state",
        title: "State",
        first: -1,
        key: (row) => Math.min(SOLVED, worth(pairs, row)),
        cell: (row) => badge(pairState(row)),
      },
      {
        id: "exact",
        title: "Samples",
        first: -1,
        key: exactShare,
        cell: (row) => verdicts(tasks[pairs.task[row]], patterns[pairs.pattern[row]]),
      },
      {
        id: "failing",
        title: "Failures",
        first: -1,
        key: (row) => patterns[pairs.pattern[row]].failed,
        cell: (row) => failureText(patterns[pairs.pattern[row]]),
      },
    ],
    filters: [
      ["all", "all", () => true],
      ["solved", "solved", (row) => patterns[pairs.pattern[row]].solved],
      ["unsolved", "not solved", (row) => !patterns[pairs.pattern[row]].solved],
      ["partly", "partly right", (row) => pairState(row) === "partly"],
      [
        "own",
        "own task, not solved",
        (row) => !patterns[pairs.pattern[row]].solved && programs[pairs.program[row]].own === pairs.task[row],
      ],
      ["fails", "failing", (row) => patterns[pairs.pattern[row]].failed],
      ...failingFilters((row) => patterns[pairs.pattern[row]].kindMask),
      ...(core.counts.lost ? [["lost", "stopped", (row) => patterns[pairs.pattern[row]].lost]] : []),
    ],
  },
};

function failingOf(task) {
  if (task.failing === undefined) {
    task.failing = 0;
    for (let pair = task.start; pair < task.end; pair++)
      task.failing += patterns[pairs.pattern[pair]].failed > 0;
  }
  return task.failing;
}

function taskCell(row) {
  return make(
    "span",
    { class: "task-cell" },
    thumbs(tasks[row], 44),
    make("span", { class: "id" }, tasks[row].id),
  );
}

function nearestCell(row) {
  const { best } = tasks[row];
  if (best < 0) return "";
  const name = make("span", { class: "name" }, programs[pairs.program[best]].name);
  const score = scoreOf(best);
  return [
    verdicts(tasks[row], patterns[pairs.pattern[best]]),
    " ",
    name,
    make("small", {}, score >= 0 && !tasks[row].solvedBy ? ` score ${score}` : ""),
  ];
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
