// The filter of the index. The page is whole without it.
"use strict";
const form = document.querySelector(".filter");
const rows = [...document.querySelectorAll("tr[data-words]")];
const count = document.querySelector("#count");
const plain = (text) => text.toLowerCase().replace(/[\s,.:()-]+/g, " ").trim();

function show() {
  const wanted = Object.fromEntries(new FormData(form));
  const words = plain(wanted.words).split(" ").filter(Boolean);
  const found = (text, sought) => text.includes(" " + sought + (/\d$/.test(sought) ? " " : ""));
  const phrase = words.join(" ");
  const whole = rows.some((row) => found(` ${row.dataset.words} `, phrase)); // a label, if there is one
  let left = 0;
  for (const row of rows) {
    const own = row.dataset;
    const text = ` ${own.words} `;
    const met = whole ? found(text, phrase) : words.every((word) => found(text, word));
    row.hidden = !(met && ["source", "subject", "verdict"].every((key) => !wanted[key] || own[key] === wanted[key]));
    left += !row.hidden;
  }
  for (const section of document.querySelectorAll("section.source")) {
    section.hidden = !section.querySelector("tr[data-words]:not([hidden])");
  }
  count.textContent = `${left} of ${rows.length} claims`;
  history.replaceState(null, "", "#" + new URLSearchParams(wanted));
}

for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
  if (form.elements[key]) form.elements[key].value = value;
}
form.hidden = false;
form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
show();
