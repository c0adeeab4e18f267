"use strict";
// Hides rows of the table. It writes nothing into the page but a count.
const form = document.getElementById("filter");
const [words, status, found, shown] = ["words", "status", "found", "shown"].map((id) => document.getElementById(id));
const all = document.querySelectorAll("#table tbody tr");
// Made when it is first needed: who only reads the page does not wait for it.
let rows;

function showCount(count) { shown.value = `${count} of ${all.length} rows shown`; }

function filter() {
  rows ??= Array.from(all, (row) => [row, row.textContent.toLowerCase()]);
  const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const [row, text] of rows) {
    const fits = wanted.every((word) => text.includes(word))
      && (status.value === "" || row.dataset.status === status.value)
      && (!found.checked || "found" in row.dataset);
    row.hidden = !fits;
    count += fits;
  }
  showCount(count);
}

// #filter=words&status=refused&found can be bookmarked and sent; other fragments are places in the page.
function takeFragment() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!["filter", "status", "found"].some((name) => wanted.has(name))) return;
  words.value = wanted.get("filter") ?? "";
  status.value = wanted.get("status") ?? "";
  found.checked = wanted.has("found");
  filter();
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", takeFragment);
form.hidden = false;
showCount(all.length);
takeFragment();
