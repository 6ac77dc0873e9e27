// Zoom, and what hangs on the node under the pointer or the keyboard. The picture is whole without it.
"use strict";
const svg = document.querySelector(".graph svg");
const natural = Number(svg.getAttribute("width"));
const around = new Map();
for (const line of svg.querySelectorAll("path")) {
  for (const end of [line.dataset.a, line.dataset.b]) {
    if (!around.has(end)) around.set(end, []);
    around.get(end).push(line);
  }
}
const node = (id) => svg.querySelector(`a[data-id="${CSS.escape(id)}"]`);

function mark(id) {
  for (const marked of svg.querySelectorAll(".on")) marked.classList.remove("on");
  svg.classList.toggle("some", Boolean(id));
  if (!id) return;
  node(id).classList.add("on");
  for (const line of around.get(id) || []) {
    line.classList.add("on");
    for (const end of [line.dataset.a, line.dataset.b]) node(end).classList.add("on");
  }
}

function zoom(factor) {
  const now = svg.getBoundingClientRect().width;
  const width = factor ? Math.min(6 * natural, Math.max(200, now * factor)) : svg.parentElement.clientWidth;
  svg.setAttribute("width", width);
}

for (const link of svg.querySelectorAll("a")) {
  for (const event of ["pointerenter", "focus"]) link.addEventListener(event, () => mark(link.dataset.id));
  for (const event of ["pointerleave", "blur"]) link.addEventListener(event, () => mark(""));
}
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.addEventListener("click", () => zoom(Number(button.dataset.zoom)));
}
svg.parentElement.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
}, { passive: false });
document.querySelector(".zoom").hidden = false;
