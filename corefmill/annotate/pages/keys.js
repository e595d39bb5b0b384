// A key presses what names it in data-key; in a field Enter and Escape end the typing.
"use strict";
let sent = false;
window.addEventListener("pageshow", () => { sent = false; });
document.addEventListener("submit", () => { sent = true; });
document.addEventListener("keydown", (event) => {
  if (sent || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.target.matches("input")) {
    if (event.key === "Enter" || event.key === "Escape") {
      event.preventDefault();
      event.target.blur();
    }
    return;
  }
  const focused = event.target.matches("button, a, summary");
  if (focused && (event.key === "Enter" || event.key === " ")) return;
  const key = event.key.toLowerCase();
  for (const element of document.querySelectorAll("[data-key]")) {
    if (element.dataset.key === key) {
      event.preventDefault();
      if (element.matches("input")) element.focus();
      else element.click();
      return;
    }
  }
});
