// A rater's round in one file: shows what the server has filled in, keeps answers in this browser.
const round = JSON.parse(document.getElementById("round").textContent);
const page = document.getElementById("page");
const [BEGUN, LEFT] = round.notes;
let rows = [], shown, since;

const keyOf = (row) => JSON.stringify([row.stage, row.item, row.question]);
const asked = new Map(round.steps.map((step) => [keyOf(step), step]));
const note = (stage, question) => ({ stage, item: "", question, answer: "yes" });
const has = (stage, question) => rows.some((row) => keyOf(row) === keyOf(note(stage, question)));
const tell = (text) => { document.getElementById("said").textContent = text; };

function show(screen) {
  page.innerHTML = screen.map((number) => round.lines[number]).join("\n");
  const done = rows.filter((row) => row.stage === "main").length;
  for (const element of page.querySelectorAll(".done")) element.textContent = done;
  for (const element of page.querySelectorAll("progress")) element.value = done;
  window.scrollTo(0, 0);
  (page.querySelector("[autofocus]") ?? page).focus();
  window.dispatchEvent(new Event("pageshow")); // the keys are free again
}

function next(at = "") {
  if (!has("tutorial", BEGUN)) return show(round.begin);
  const done = new Set(rows.map(keyOf));
  const step = round.steps.find((one) => !done.has(keyOf(one)) && !has(one.stage, LEFT));
  if (step !== shown) [shown, since] = [step, performance.now()];
  show(step ? step.views[at] ?? step.views[""] : round.end);
}

function keep() {
  try {
    localStorage.setItem(round.key, JSON.stringify(rows));
    tell("");
  } catch {
    tell("This browser keeps no answers: download them before you close the page.");
  }
}

function judge({ name, value }, remark) {
  const step = shown;
  if (name === "leave") rows.push(note(step.stage, LEFT));
  else {
    const reason = name === "reason" ? value : "";
    const answer = { skip: "", reason: step.with, option: step.options[value], answer: value }[name];
    remark = remark.replace(/\p{Surrogate}/gu, "").trim().replace(/\s+/g, " ");
    const when = `${new Date().toISOString().slice(0, 19)}Z`;
    const seconds = Math.round((performance.now() - since) / 10) / 100;
    const { stage, item, question } = step;
    rows.push({ stage, item, question, answer, reason, remark, when, seconds });
    if (step.feedback && answer) return show(step.feedback[`${reason}/${answer}`]);
  }
  next();
}

document.addEventListener("submit", (event) => {
  event.preventDefault();
  const does = event.target.getAttribute("action");
  if (does === "./undo") {
    if (rows.length && rows.at(-1).question !== BEGUN) rows.pop();
    shown = undefined;
    next();
  } else if (does === "./begin") {
    rows.push(note("tutorial", BEGUN));
    next();
  } else judge(event.submitter, event.target.elements.remark.value);
  keep();
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='./']")?.getAttribute("href");
  if (!link) return;
  event.preventDefault();
  if (link === "./guidelines") show(has("tutorial", BEGUN) ? round.guidelines : round.begin);
  else next(link.replace(/^[^=]*=?/, ""));
});

document.getElementById("download").addEventListener("click", () => {
  const lines = rows.filter((row) => row.stage === "main").map(({ stage, ...row }) =>
    `${JSON.stringify({ ...row, rater: round.rater, person: true })}\n`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
  link.download = round.file;
  link.click();
});

// A row of a file of answers; throws what is none of this page's.
function rowOf(line) {
  const { item, rater, person, question, answer, reason, remark, when, seconds } = JSON.parse(line);
  const row = { stage: "main", item, question, answer, reason, remark, when, seconds };
  const texts = [answer, reason, remark, when].every((text) => typeof text === "string");
  if (!asked.has(keyOf(row)) || rater !== round.rater || person !== true || !texts) throw line;
  if (typeof seconds !== "number") throw line;
  return row;
}

document.getElementById("upload").addEventListener("change", async ({ target }) => {
  if (!target.files.length) return;
  let number = 0;
  try {
    const lines = (await target.files[0].text()).split("\n").filter((line) => line);
    const found = lines.map((line) => { number += 1; return rowOf(line); });
    // Whoever has answers is through with the exercises.
    const own = [note("tutorial", BEGUN), note("tutorial", LEFT), note("practice", LEFT), ...rows];
    const newest = new Map(own.map((row) => [keyOf(row), row]));
    for (const row of found) {
      const mine = newest.get(keyOf(row));
      if (!mine || mine.when < row.when) newest.set(keyOf(row), row);
    }
    rows = [...newest.values()];
    keep();
    tell(`${found.length} answers were read.`);
  } catch {
    tell(`Not read: line ${number} of this file is no answer to this page.`);
  }
  target.value = "";
  next();
});

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(round.key) ?? "[]");
    rows = Array.isArray(kept) ? kept : [];
  } catch {
    rows = [];
    keep();
  }
  next();
}

window.addEventListener("storage", (event) => { if (event.key === round.key) load(); });
load();
