// Searches the titles of all pages and members in `index`, which index.js sets.
"use strict";
const field = document.getElementById("search");
const results = document.getElementById("results");

function found(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const rank = ([title]) => {
    const name = title.toLowerCase();
    const last = name.slice(name.lastIndexOf(".") + 1);
    return name === words[0] ? 0 : name.startsWith(words[0]) ? 1 : last.startsWith(words[0]) ? 2 : 3;
  };
  return index
    .filter(([title, , , about]) => words.every((word) => (title + " " + about).toLowerCase().includes(word)))
    .sort((a, b) => rank(a) - rank(b) || a[0].length - b[0].length)
    .slice(0, 12);
}

function show() {
  results.replaceChildren(
    ...found(field.value).map(([title, kind, address, about]) => {
      const link = document.createElement("a");
      link.href = document.documentElement.dataset.root + address;
      link.append(Object.assign(document.createElement("b"), { textContent: title }), ` ${kind}`);
      link.append(Object.assign(document.createElement("small"), { textContent: about }));
      const item = document.createElement("li");
      item.append(link);
      return item;
    }),
  );
  results.hidden = !results.childElementCount;
}

field.addEventListener("input", show);
field.addEventListener("focus", show);
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
document.addEventListener("click", (event) => {
  if (!field.form.contains(event.target)) results.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === "Escape") results.hidden = true;
});
