// The calculator: fields from the quantities, requests of the line protocol to the engine, its answers, and curves.
"use strict";
const asked = JSON.parse(document.querySelector("#asked").textContent);
const form = document.querySelector(".calculator");
const place = Object.fromEntries(["about", "state", "answer", "curve"].map((id) => [id, document.getElementById(id)]));
const LISTS = ["mean_p", "mean_q", "weights", "dofs", "noncentralities"];
const SECONDS = 120, POINTS = 24, CURVE_DIGITS = 12;
const files = {};
let engine = null, said = new Map(), number = 0;

// ---- the engine: its parts are scripts, as a page from the disk may load nothing else

const received = new Map();
function part(name, packed, text) { // called by every part
  received.set(name, [packed, text]);
}

async function content([packed, text]) {
  const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  if (!packed) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function loaded(name) {
  if (files[name]) return;
  await new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = `calculator/${name}.js`;
    script.onload = done;
    script.onerror = () => failed(new Error(`calculator/${name}.js is missing`));
    document.head.append(script);
  });
  files[name] = await content(received.get(name));
  received.delete(name);
}

async function started() {
  for (const [k, name] of asked.parts.entries()) {
    place.state.textContent = `Loading the engine: part ${k + 1} of ${asked.parts.length}`;
    await loaded(name);
  }
  place.state.textContent = "Starting the engine";
  const worker = new Worker(URL.createObjectURL(new Blob([files["worker.js"]], { type: "text/javascript" })));
  await new Promise((done, failed) => {
    worker.onmessage = ({ data }) => (data === "ready" ? done() : failed(new Error(JSON.parse(data).error.message)));
    worker.onerror = (event) => failed(new Error(event.message || "the engine cannot be started here"));
    worker.postMessage(files);
  });
  worker.onmessage = ({ data }) => {
    const answer = JSON.parse(data);
    said.get(answer.id)?.(answer);
    said.delete(answer.id);
  };
  place.state.textContent = "";
  return worker;
}

async function ask(request) { // the answer to a request; the engine is started by the first
  engine ??= started();
  const worker = await engine;
  const id = ++number;
  return new Promise((done) => {
    said.set(id, done);
    worker.postMessage(JSON.stringify({ ...request, id }));
  });
}

async function stopped(why) { // a worker in the middle of a computation listens to nothing: it is ended
  const worker = await engine?.catch(() => null);
  worker?.terminate();
  engine = null;
  for (const [id, done] of said) done({ id, error: { kind: "time", message: why } });
  said = new Map();
}

// ---- the form

const all = new Map([...asked.quantities, ...asked.statements].map((one) => [one.name, one]));
const chosen = () => all.get(form.elements.quantity.value);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function fillChoices() {
  const groups = new Map();
  for (const one of all.values()) {
    const group = one.group || "A claim at its counterexample";
    if (!groups.has(group)) groups.set(group, element("optgroup", { label: group }));
    groups.get(group).append(element("option", { value: one.name, textContent: one.title }));
  }
  form.elements.quantity.append(...groups.values());
}

function field(name, value) {
  const text = chosen().labels?.[name]; // typeset when the page was made
  return element("label", text ? { innerHTML: text } : { textContent: asked.inputs[name] || name }, element("input", { name: `input-${name}`, value, autocomplete: "off", spellcheck: false }));
}

function showFields(values = {}) {
  const one = chosen();
  place.about.innerHTML = one.about || "";
  document.querySelector(".fields").replaceChildren(
    ...Object.entries(one.inputs).map(([name, example]) => field(name, values[name] ?? example)));
  form.elements.curve.hidden = document.querySelector(".digits").hidden = Boolean(one.statement);
  place.answer.replaceChildren();
  place.curve.replaceChildren();
}

function list(text) {
  return text.split(",").map((entry) => entry.trim());
}

function input(name, text) {
  const rows = text.split(";").map((row) => row.trim()).filter(Boolean);
  if (name.startsWith("cov_") && rows.length > 1) return rows.map(list);
  return LISTS.includes(name) || (name.startsWith("cov_") && text.includes(",")) ? list(text) : text.trim();
}

function typed() {
  return Object.fromEntries(Object.keys(chosen().inputs).map((name) => [name, form.elements[`input-${name}`].value]));
}

function request(values, digits) {
  const one = chosen();
  if (one.statement) return { statement: one.statement, point: values };
  const inputs = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, input(name, text)]));
  return { quantity: one.name, inputs, digits };
}

function keepInAddress(values) {
  const kept = new URLSearchParams({ quantity: chosen().name, digits: form.elements.digits.value, ...values });
  history.replaceState(null, "", `#${kept}`);
}

// ---- answers

function wrong(answer) {
  const { argument, message } = answer.error;
  const named = !argument || message.startsWith(argument) ? message : `${argument}: ${message}`;
  return element("p", { className: "restricted", textContent: named });
}

function shown(answer, values, digits, seconds) {
  if (answer.error) return [wrong(answer)];
  if (answer.outcome) return verdict(answer, seconds);
  const line = Object.entries(values).map(([name, text]) => {
    const value = input(name, text);
    return Array.isArray(value) ? `'${name}=${JSON.stringify(value)}'` : `${name}=${value}`;
  });
  const again = `ndis-verify reference query ${chosen().name} ${line.join(" ")} --digits ${digits}`;
  const basis = { bound: "certified: truncation and rounding are both bounded" }[answer.basis] || answer.basis;
  return [
    element("p", { className: "soft", textContent: chosen().value }),
    element("p", { className: "value" }, element("output", { textContent: answer.value }), ` ± ${answer.radius}`),
    element("p", { className: "soft", textContent: `${basis}; ${seconds} s` }),
    element("p", { textContent: "The same in a terminal:" }),
    element("pre", { textContent: again }),
  ];
}

function law(found) { // of the privacy loss, in words
  const parts = found.weights.map((weight, k) => `${weight} χ²(${found.dofs[k]}; ${found.noncentralities[k]})`);
  if (Number(found.std)) parts.push(`${found.std} N(0, 1)`);
  const text = [...parts, found.shift].join(" + ").replaceAll("+ -", "− ");
  return element("p", {}, "The privacy loss log p/q under P has the law of ", element("output", { textContent: text }), ", χ²(degrees of freedom; noncentrality).");
}

function verdict(answer, seconds) {
  const words = { violated: "The statement fails at this point", held: "The statement holds at this point", undecided: "Not decided at this point" };
  const parts = [element("p", { className: "value", textContent: words[answer.outcome] })];
  if (answer.sides.length) parts.push(element("p", { textContent: `What fails: ${answer.sides.join("; ")}` }));
  if (answer.margin) parts.push(element("p", {}, "Margin (negative where it fails): ", element("output", { textContent: answer.margin }), ` ± ${answer.radius}`));
  return [...parts, element("p", { className: "soft", textContent: `certified; ${seconds} s` })];
}

async function working(work) { // one thing at a time
  if (!form.elements.stop.disabled) return;
  const buttons = form.querySelectorAll("button");
  for (const button of buttons) button.disabled = button.name !== "stop";
  try {
    await work();
  } catch (error) {
    engine = null;
    place.state.textContent = "";
    place.answer.replaceChildren(element("p", { className: "restricted", textContent: error.message }));
  }
  for (const button of buttons) button.disabled = button.name === "stop";
}

async function compute() {
  const values = typed(), digits = Number(form.elements.digits.value);
  keepInAddress(values);
  place.answer.replaceChildren();
  await (engine ??= started());
  place.state.textContent = "Computing";
  const begun = performance.now(), timer = setTimeout(() => stopped(`ended after ${SECONDS} seconds`), 1000 * SECONDS);
  const answer = await ask(request(values, digits));
  clearTimeout(timer);
  place.state.textContent = "";
  place.answer.replaceChildren(...shown(answer, values, digits, ((performance.now() - begun) / 1000).toFixed(2)));
  if (answer.error || !("mean_p" in values)) return;
  const { epsilon, delta, ...loss } = request(values, digits).inputs;
  const found = await ask({ loss });
  if (!found.error) place.answer.children[2].after(law(found));
}

// ---- the curve: the quantity at some values of one input, each of them certified

function places(along, at) {
  if (along === "delta") return [...Array(POINTS).keys()].map((k) => Number((at * 10 ** (3 - (6 * k) / (POINTS - 1))).toPrecision(3))).filter((x) => x < 1);
  const low = along === "x" ? at - 2 * Math.max(1, Math.abs(at)) : 0, high = along === "x" ? at + 2 * Math.max(1, Math.abs(at)) : 2 * Math.max(1, at);
  return [...Array(POINTS).keys()].map((k) => Number((low + ((high - low) * k) / (POINTS - 1)).toPrecision(4)));
}

async function curve() {
  const one = chosen(), values = typed(), found = [];
  keepInAddress(values);
  for (const [k, at] of places(one.along, Number(values[one.along])).entries()) {
    const answer = await ask(request({ ...values, [one.along]: String(at) }, CURVE_DIGITS));
    place.state.textContent = `Drawing: point ${k + 1}`;
    if (answer.error?.kind === "time") break;
    if (!answer.error) found.push([at, answer.value, answer.radius]);
    draw(one.along, found);
  }
  place.state.textContent = "";
}

function svg(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(text);
  return made;
}

function draw(along, found) {
  if (found.length < 2) return;
  const heights = found.map(([, value]) => Number(value)).filter((y) => y > 0);
  const log = heights.length === found.filter(([, value]) => Number(value) !== 0).length && Math.max(...heights) > 50 * Math.min(...heights);
  const drawn = found.filter(([, value]) => !log || Number(value) > 0);
  const across = (x) => (along === "delta" ? Math.log10(x) : x), up = (y) => (log ? Math.log10(y) : y);
  const xs = drawn.map(([x]) => across(x)), ys = drawn.map(([, y]) => up(Number(y)));
  const scale = (all, from, to) => (v) => from + ((to - from) * (v - Math.min(...all))) / (Math.max(...all) - Math.min(...all) || 1);
  const x = scale(xs, 90, 620), y = scale(ys, 220, 20);
  const picture = svg("svg", { viewBox: "0 -8 680 278", role: "img", class: "violation", "aria-label": `${chosen().value} along ${asked.axes[along]}` });
  picture.append(svg("path", { class: "axis", d: "M90 20V220H620" }),
    svg("polyline", { points: drawn.map((_, k) => `${x(xs[k])},${y(ys[k])}`).join(" ") }));
  for (const [k, [at, value, radius]] of drawn.entries()) {
    const dot = svg("circle", { cx: x(xs[k]), cy: y(ys[k]), r: 3 });
    dot.append(svg("title", {}, `${along} = ${at}: ${value} ± ${radius}`));
    picture.append(dot);
  }
  const low = drawn[ys.indexOf(Math.min(...ys))], high = drawn[ys.indexOf(Math.max(...ys))], last = xs.indexOf(Math.max(...xs)), first = xs.indexOf(Math.min(...xs));
  const text = (at, height, anchor, words) => picture.append(svg("text", { x: at, y: height, "text-anchor": anchor }, words));
  text(84, 224, "end", Number(low[1]).toPrecision(3)), text(84, 26, "end", Number(high[1]).toPrecision(3));
  text(90, 240, "middle", String(drawn[first][0])), text(620, 240, "end", String(drawn[last][0])), text(355, 258, "middle", asked.axes[along]), text(84, 10, "start", chosen().value);
  const words = `Every dot is certified to ${CURVE_DIGITS} digits${log ? "; the scale upwards is logarithmic" : ""}.`;
  place.curve.replaceChildren(picture, element("p", { className: "soft", textContent: words }));
}

// ---- the beginning: what the address asks is asked

function fromAddress() {
  const { quantity, digits, ...values } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (all.has(quantity)) form.elements.quantity.value = quantity;
  if (digits) form.elements.digits.value = digits;
  showFields(values);
  if (all.has(quantity)) working(compute);
}

fillChoices();
form.hidden = false;
form.elements.quantity.addEventListener("change", () => showFields());
form.addEventListener("submit", (event) => (event.preventDefault(), working(compute)));
form.elements.curve.addEventListener("click", () => working(curve));
form.elements.stop.addEventListener("click", () => stopped("stopped"));
addEventListener("hashchange", fromAddress);
fromAddress();
