// The data of the report: blocks of JSON, each parsed when it is first asked for, and columns of numbers.

const blocks = new Map();

/** The content of a block of JSON. */
function block(name) {
  if (!blocks.has(name)) {
    blocks.set(name, JSON.parse(document.getElementById(`data-${name}`).textContent));
  }
  return blocks.get(name);
}

/** A column of 32-bit numbers from base64. */
function column(text) {
  const bytes = atob(text);
  const words = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < words.length; i++) {
    const at = i << 2;
    words[i] =
      bytes.charCodeAt(at) |
      (bytes.charCodeAt(at + 1) << 8) |
      (bytes.charCodeAt(at + 2) << 16) |
      (bytes.charCodeAt(at + 3) << 24);
  }
  return words;
}

const NO_SCORE = 0xffff;
const SOLVED = 1e14; // what a solved pair is worth at least
const core = block("core");
const kinds = Object.keys(core.meanings);

/** What programs did on samples: the letters of the samples, failures by kind, and counts of both. */
const patterns = core.patterns.map(([exact, failures, lost]) => ({
  exact,
  failures,
  lost,
  right: count(exact, "1"),
  solved: exact.includes("1") && !exact.includes("0"),
  failed: failures.reduce((sum, [, number]) => sum + number, 0),
  kindMask: failures.reduce((mask, [kind]) => mask | (1 << kinds.indexOf(kind)), 0),
}));

function count(text, letter) {
  let found = 0;
  for (const each of text) found += each === letter;
  return found;
}

const programs = core.programs.names.map((name, number) => ({
  number,
  name,
  hash: core.programs.hashes[number],
  lines: core.programs.lines[number],
  own: core.programs.own[number],
  tasks: 0,
  solved: 0,
  right: 0,
  samples: 0,
  failed: 0,
  kindMask: 0,
}));

const tasks = core.tasks.ids.map((id, number) => ({
  number,
  id,
  demo: core.tasks.demo[number],
  test: core.tasks.test[number],
  seconds: core.tasks.seconds[number],
  ranked: core.tasks.ranked[number], // its programs stand best first
  solvedBy: 0,
  best: -1, // the pair that comes nearest
  ownFails: false,
  kindMask: 0,
  start: 0,
  end: 0,
}));

/** All pairs of program and task, in columns; those of a task stand together. */
const pairs = gathered();

function gathered() {
  const lists = core.lists.map(column);
  const total = core.tasks.lists.reduce((sum, list) => sum + lists[list].length, 0);
  const found = {
    length: total,
    task: new Uint32Array(total),
    program: new Uint32Array(total),
    pattern: new Uint32Array(total),
    score: new Uint16Array(total).fill(NO_SCORE),
  };
  let start = 0;
  for (const task of tasks) {
    const list = lists[core.tasks.lists[task.number]];
    task.start = start;
    task.end = start + list.length;
    found.task.fill(task.number, task.start, task.end);
    found.program.set(list, start);
    found.pattern.set(column(core.tasks.patterns[task.number]), start);
    const scores = core.tasks.scores[task.number];
    if (scores) found.score.set(column(scores), start);
    start = task.end;
  }
  for (const task of tasks) summed(task, found);
  return found;
}

/** Sum the pairs of a task up, for the task and for its programs. */
function summed(task, found) {
  const samples = task.demo + task.test;
  let nearest = -1;
  for (let pair = task.start; pair < task.end; pair++) {
    const pattern = patterns[found.pattern[pair]];
    const program = programs[found.program[pair]];
    program.tasks += 1;
    program.samples += samples;
    program.right += pattern.right;
    program.failed += pattern.failed;
    program.kindMask |= pattern.kindMask;
    task.kindMask |= pattern.kindMask;
    if (pattern.solved) {
      program.solved += 1;
      task.solvedBy += 1;
    }
    if (program.own === task.number && !pattern.solved) task.ownFails = true;
    const near = worth(found, pair);
    const isNearer = near > nearest || (near === nearest && program.own === task.number);
    if (task.ranked ? task.best < 0 : isNearer) {
      nearest = near;
      task.best = pair;
    }
  }
}

/** How near a pair comes to a solution, the same as `best_first` in findings.py: more is better. */
function worth(found, pair) {
  const pattern = patterns[found.pattern[pair]];
  const score = found.score[pair] === NO_SCORE ? 0 : found.score[pair] + 1;
  const demo = count(pattern.exact.slice(0, tasks[found.task[pair]].demo), "1");
  const lines = Math.min(programs[found.program[pair]].lines, 1e6 - 1);
  return (pattern.solved ? SOLVED : 0) + demo * 1e10 + score * 1e6 - lines + 1e6;
}

/** The pairs of a task, best first; of equals those of the task's own programs first. */
function bestFirst(task) {
  const chosen = [];
  for (let pair = task.start; pair < task.end; pair++) chosen.push(pair);
  if (task.ranked) return chosen;
  const own = (pair) => (programs[pairs.program[pair]].own === task.number ? 1 : 0);
  return chosen.sort((a, b) => worth(pairs, b) - worth(pairs, a) || own(b) - own(a) || a - b);
}

/** The pair of a task and a program; -1 if there is none. */
function pairOf(task, program) {
  for (let pair = task.start; pair < task.end; pair++) {
    if (pairs.program[pair] === program.number) return pair;
  }
  return -1;
}

const namesakes = new Map();
for (const program of programs) namesakes.set(program.name, (namesakes.get(program.name) || 0) + 1);

/** A text as an address can have it: without halves of characters. */
function linkable(text) {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** What links call a program: its name, with its hash if others have the same name. */
function programKey(program) {
  return linkable(namesakes.get(program.name) > 1 ? `${program.name}@${program.hash}` : program.name);
}

const taskById = new Map(tasks.map((task) => [linkable(task.id), task]));
const programByKey = new Map(programs.map((program) => [programKey(program), program]));

/** The grids of a task: input and expected output of each sample as rows of digits, or null. */
function gridsOf(task) {
  const grids = block("grids")[task.number];
  return grids && grids.map(rowsOf);
}

function rowsOf(text) {
  return text === null ? null : text.split("/");
}

/** The outcomes of a pair, one for each sample, as far as the report has them. */
function outcomesOf(pair) {
  const task = tasks[pairs.task[pair]];
  const told = block("outputs")[`${task.number} ${pairs.program[pair]}`];
  const grids = gridsOf(task);
  return Array.from(patterns[pairs.pattern[pair]].exact, (letter, sample) => {
    const expected = grids && grids[2 * sample + 1];
    if (letter === "1" || (told && told[sample] === "=")) return { exact: true, rows: expected };
    if (!told) return { unknown: true };
    const text = told[sample].slice(1);
    switch (told[sample][0]) {
      case "#":
        return { rows: rowsOf(text) };
      case "!":
        return { failure: text.split(" ", 1)[0], where: text.slice(text.indexOf(" ") + 1) };
      default:
        return { value: text };
    }
  });
}
