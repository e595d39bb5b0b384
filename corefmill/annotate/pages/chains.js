// Chooses mentions and words of a document, and sends what is done to them, one act a form.
"use strict";
const page = document.querySelector(".document");
const bar = document.querySelector(".bar");
const form = document.querySelector("#act");
const words = [...page.querySelectorAll("i")];
const covered = new Map(); // the words of each mention, the mentions as they are read
const clusterOf = new Map();
const open = new Set();
for (const element of page.querySelectorAll("i, b")) {
  const mention = element.dataset.m;
  if (element.matches("i")) {
    for (const one of open) covered.get(one).push(element);
  } else if (element.dataset.c) {
    if (!covered.has(mention)) covered.set(mention, []);
    clusterOf.set(mention, element.dataset.c);
    open.add(mention);
  } else open.delete(mention);
}
const mentions = [...covered.keys()];
let chosen = covered.has(page.dataset.chosen) ? page.dataset.chosen
  : location.hash === "#last" ? mentions.at(-1) : mentions[0];
let mode = ""; // "", or what is being said more of: merge, add, border
let typed = ""; // of a cluster's number
let fixed = 0; // in add and border: the end that stays, and the one that moves
let moving = 0;
let held = false;

function send(act, ...numbers) {
  if (act !== "add" && chosen === undefined) return;
  form.elements.act.value = [act, ...numbers].join(" ");
  form.requestSubmit();
}

function button(cluster) {
  return bar.querySelector(`[data-cluster="${cluster}"]`);
}

function show() {
  const own = clusterOf.get(chosen);
  const spanning = mode === "add" || mode === "border";
  const taken = spanning
    ? words.slice(Math.min(fixed, moving), Math.max(fixed, moving) + 1)
    : covered.get(chosen) || [];
  for (const word of words) word.classList.toggle("chosen", taken.includes(word));
  for (const mark of page.querySelectorAll("b")) {
    mark.classList.toggle("at", !spanning && mark.dataset.m === chosen);
    mark.classList.toggle("kin", !spanning && clusterOf.get(mark.dataset.m) === own);
  }
  for (const one of bar.querySelectorAll("[data-cluster]")) {
    one.toggleAttribute("aria-current", one.dataset.cluster === own);
  }
  for (const one of bar.querySelectorAll("[data-act]")) one.hidden = mode !== "";
  bar.querySelector(".clusters").hidden = spanning;
  for (const name of ["take", "hold"]) bar.querySelector(`#${name}`).hidden = !spanning;
  bar.querySelector("#cancel").hidden = mode === "" && !typed;
  const said = taken.map((word) => word.textContent).join(" ");
  const named = button(own);
  const size = named ? ` (${named.dataset.size === "1" ? "1 mention" : `${named.dataset.size} mentions`})` : "";
  let text = chosen === undefined ? "No mention in this part" : `“${said}”, cluster ${own}${size}`;
  if (spanning) {
    text = `${mode === "add" ? "New mention" : "New border"}: “${said}”. `
      + `Choose words, or move by arrows${held ? "" : "; Space holds this end"}.`;
  } else if (mode === "merge") text = `Merge cluster ${own} with: ${typed || "number?"}`;
  else if (typed) text = `Assign to cluster ${typed}: Enter, or another digit`;
  bar.querySelector("#now").textContent = text;
  const place = spanning ? words[moving] : taken[0];
  if (!place) return;
  const seen = place.getBoundingClientRect();
  if (seen.top < 40 || seen.bottom > bar.getBoundingClientRect().top - 40) {
    place.scrollIntoView({ block: "center" });
  }
  if (named) named.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function choose(mention) {
  [chosen, mode, typed] = [mention, "", ""];
  show();
}

function step(forward, among) {
  const place = among.indexOf(chosen) + (forward ? 1 : -1);
  if (among[place] !== undefined) return choose(among[place]);
  const link = document.querySelector(forward ? "#later" : "#earlier");
  if (link && among === mentions) location.assign(link.href + (forward ? "" : "#last"));
}

function move(by) {
  moving = Math.max(0, Math.min(words.length - 1, moving + by));
  if (!held) fixed = moving;
  show();
}

function begin(act) {
  if (act !== "add" && chosen === undefined) return;
  if (act === "add" || act === "border") {
    const own = (covered.get(chosen) || words.slice(0, 1)).map((word) => words.indexOf(word));
    [mode, held] = [act, act === "border"];
    [fixed, moving] = [own[0], held ? own.at(-1) : own[0]];
    show();
  } else if (act === "merge") {
    [mode, typed] = [act, ""];
    show();
  } else send(act, chosen);
}

function take() {
  if (mode === "add" || mode === "border") {
    const first = Number(page.dataset.first);
    const ends = [fixed, moving].sort((one, other) => one - other).map((place) => place + first);
    send(mode, ...(mode === "border" ? [chosen] : []), ...ends);
  } else if (typed) send(mode || "assign", chosen, typed);
}

function digit(one) {
  typed += one;
  if (Number(typed) * 10 > Number(page.dataset.last)) take();
  else show();
}

function key(event) {
  const spanning = mode === "add" || mode === "border";
  const forward = event.key === "ArrowRight" || event.key === "ArrowDown";
  if (event.key.startsWith("Arrow")) {
    if (!spanning && event.key.endsWith("t")) step(forward, mentions);
    else if (!spanning) step(forward, mentions.filter((m) => clusterOf.get(m) === clusterOf.get(chosen)));
    else if (event.key.endsWith("t")) move(forward ? 1 : -1);
    else {
      const lines = [...page.querySelectorAll("p")];
      const line = lines[lines.indexOf(words[moving].parentElement) + (forward ? 1 : -1)];
      if (line) move(words.indexOf(line.querySelector("i")) - moving);
    }
  } else if (/^[0-9]$/.test(event.key) && !spanning) digit(event.key);
  else if (event.key === "Enter" && (mode || typed)) take();
  else if (event.key === " " && spanning) hold();
  else if (event.key === "Escape" && (mode || typed)) choose(chosen);
  else if (event.key === "f" && !mode) {
    const own = [...document.querySelectorAll("[data-differs]")].map((row) => row.dataset.differs);
    const found = mentions.filter((mention) => own.includes(mention));
    choose(found[(found.indexOf(chosen) + 1) % found.length] || chosen);
  } else return !!mode && event.key.length === 1; // while words are chosen, letters do nothing
  return true;
}

function hold() {
  if (held) [fixed, moving] = [moving, fixed];
  held = true;
  show();
}

window.addEventListener("keydown", (event) => {
  if (sent || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input") || !key(event)) return;
  event.preventDefault();
  event.stopPropagation();
}, true);
page.addEventListener("click", (event) => {
  const word = event.target.closest("i");
  if (word && (mode === "add" || mode === "border")) {
    moving = words.indexOf(word);
    if (!held) [fixed, held] = [moving, true];
    return show();
  }
  const mark = event.target.closest("b");
  if (mark) return choose(mark.dataset.m);
  if (!word) return;
  const own = mentions.filter((mention) => covered.get(mention).includes(word));
  own.sort((one, other) => covered.get(one).length - covered.get(other).length);
  if (own.length) choose(own[(own.indexOf(chosen) + 1) % own.length]);
});
bar.addEventListener("click", (event) => {
  const one = event.target.closest("button");
  if (!one) return;
  if (one.dataset.act) begin(one.dataset.act);
  else if (one.dataset.cluster) send(mode || "assign", chosen, one.dataset.cluster);
  else if (one.id === "take") take();
  else if (one.id === "hold") hold();
  else choose(chosen);
});
window.addEventListener("pageshow", show);
