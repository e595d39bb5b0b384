"use strict";
// Adds to the page what it does without: filters, and clusters that light up.
(() => {
  const facets = JSON.parse(document.getElementById("facets").textContent);
  const records = [...document.querySelectorAll("article.record")];
  const form = document.getElementById("filters");
  const found = document.getElementById("found");
  const fields = [...form.querySelectorAll("[data-of]")];
  const text = document.getElementById("f-text");
  const said = records.map((one) => one.textContent.toLowerCase());
  const values = (facet, name) => [facet[name]].flat().filter((value) => value);

  for (const field of fields) {
    const all = facets.flatMap((facet) => values(facet, field.dataset.of));
    const names = [...new Set(all)].sort();
    if (field.tagName === "SELECT") {
      field.add(new Option("all", ""));
      for (const name of names) field.add(new Option(name, name));
      field.closest("label").hidden = names.length < 2;
    } else {
      field.closest("label").hidden = !names.length;
    }
  }

  const fits = (facet, field) => {
    const wanted = field.value.trim().toLowerCase();
    if (!wanted) return true;
    const own = values(facet, field.dataset.of).map((value) => value.toLowerCase());
    return field.tagName === "SELECT"
      ? own.includes(wanted)
      : own.some((value) => value.includes(wanted));
  };

  const filter = () => {
    const wanted = text.value.trim().toLowerCase();
    let shown = 0;
    records.forEach((record) => {
      const number = Number(record.dataset.n);
      const kept =
        fields.every((field) => fits(facets[number], field)) &&
        (!wanted || said[number].includes(wanted));
      record.hidden = !kept;
      shown += kept;
    });
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !group.querySelector("article:not([hidden])");
    }
    found.textContent = `${shown} of ${records.length} on this page`;
  };

  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  form.hidden = false;
  filter();

  // A cluster is lit in its record while the pointer, or the focus, is on one of its mentions.
  let lit = [];
  const light = (event) => {
    for (const one of lit) one.classList.remove("lit");
    lit = [];
    const on = event.target.closest && event.target.closest("article.record [data-c]");
    if (!on || !/^[0-9]+$/.test(on.dataset.c)) return;
    lit = [...on.closest("article").querySelectorAll(`[data-c="${on.dataset.c}"]`)];
    for (const one of lit) one.classList.add("lit");
  };
  document.addEventListener("pointerover", light);
  document.addEventListener("focusin", light);
  document.addEventListener("focusout", light);

  // One stop of the Tab key a list of clusters; arrows go on from there.
  for (const list of document.querySelectorAll(".clusters")) {
    const items = [...list.children];
    items.forEach((item, index) => (item.tabIndex = index ? -1 : 0));
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = items[items.indexOf(document.activeElement) + (step || 0)];
      if (!step || !next) return;
      event.preventDefault();
      document.activeElement.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
})();
