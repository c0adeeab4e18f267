"use strict";
// Hides rows of the table and sections of apps. The only text that it writes is a count.
const form = document.getElementById("filter");
const [words, status, found, shown, back, next] = ["words", "status", "found", "shown", "back", "next"]
  .map((id) => document.getElementById(id));
const all = Array.from(document.querySelectorAll("#table tbody tr"));
const size = 50;
let matching = all;
let page = 0;
// Made when it is first needed, because most readers do not search.
let texts;

function show(number) {
  page = number;
  const rows = new Set(matching.slice(page * size, (page + 1) * size));
  for (const row of all) row.hidden = !rows.has(row);
  const first = page * size;
  shown.value = `Rows ${rows.size ? first + 1 : 0} to ${first + rows.size} of ${matching.length} matches among ${all.length} rows`;
  back.disabled = page === 0;
  next.disabled = first + rows.size >= matching.length;
}

function filter() {
  texts ??= new Map(all.map((row) => [row, row.textContent.toLowerCase()]));
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  matching = all.filter((row) => wanted.every((word) => texts.get(row).includes(word))
    && (status.value === "" || row.dataset.status === status.value)
    && (!found.checked || "found" in row.dataset));
  show(0);
}

// #filter=words&status=refused&found can be bookmarked and sent. Other fragments are anchors in the page.
function takeFragment() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (["filter", "status", "found"].some((name) => wanted.has(name))) {
    words.value = wanted.get("filter") ?? "";
    status.value = wanted.get("status") ?? "";
    found.checked = wanted.has("found");
    return filter();
  }
  const place = document.getElementById(location.hash.slice(1));
  if (!place?.closest("[hidden]")) return;
  if (place.matches("#table tr")) {
    matching = all;
    form.reset();
    show(Math.floor(all.indexOf(place) / size));
  } else if (app) {
    app.value = "";
    choose();
  }
  place.scrollIntoView();
}

const app = document.getElementById("app");
function choose() {
  for (const section of document.querySelectorAll("section.app"))
    section.hidden = app.value !== "" && section.id !== app.value;
}
if (app) {
  app.addEventListener("input", choose);
  app.form.hidden = false;
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
back.addEventListener("click", () => show(page - 1));
next.addEventListener("click", () => show(page + 1));
addEventListener("hashchange", takeFragment);
document.body.classList.add("paged");
form.hidden = false;
show(0);
takeFragment();
