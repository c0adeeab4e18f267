"use strict";
// Sends requests to the server and shows its answers. They contain untrusted input, which becomes text, never markup.
const at = (id) => document.getElementById(id);
const largest = 16 * 1024 * 1024 * 4 / 3, atOnce = 100;
let running = new AbortController(), token = null, given = [];
/** The settings of the last verification, which the user may change before all its requests are answered. */
let query = "", asOf = null, chosenCatalog = null;

// MARK: - Text

/** Returns a text as the audit's report shows it: invisible and bidirectional characters escaped, long text shortened. */
function written(text, limit = 1024) {
  let shown = String(text);
  if (shown.length > limit) {
    const start = Array.from(shown.slice(0, limit * 2)).slice(0, limit).join("");
    shown = `${start}… (${count(shown.length, "character")})`;
  }
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (sign) => `\\u{${sign.codePointAt(0).toString(16).toUpperCase()}}`);
}

function count(number, noun) {
  const digits = String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  return noun ? `${digits} ${noun}${number === 1 ? "" : "s"}` : digits;
}

const date = (text) => text?.replace("T", " ").replace("Z", "");
const utc = (text) => text && `${date(text)} UTC`;
const day = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

/** Creates an element. Children that are strings become text; attributes have constant names. */
function make(name, attributes, ...children) {
  const space = ["svg", "g", "rect", "line"].includes(name) ? "2000/svg" : "1999/xhtml";
  const made = document.createElementNS(`http://www.w3.org/${space}`, name);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  for (const child of children.flat()) if (child != null) made.append(child instanceof Node ? child : written(child));
  return made;
}

/** Creates a list of facts, without those that have no value. */
function facts(rows) {
  const list = make("dl", { class: "facts" });
  for (const [term, value] of rows)
    if (value != null && value !== "") list.append(make("dt", null, term), make("dd", null, value));
  return list;
}

/** Adds items to a place in parts, with a button for the next part: 100,000 at once would take seconds. */
function addInParts(place, things, size, draw, from = 0) {
  const box = place.closest(".scroll") ?? place;
  if (box.nextElementSibling?.matches(".more")) box.nextElementSibling.remove();
  const end = Math.min(from + size, things.length);
  place.append(...things.slice(from, end).map(draw));
  if (from) {
    place.children[from].tabIndex = -1;
    place.children[from].focus({ preventScroll: true });
  }
  if (end === things.length) return;
  const next = Math.min(10 * size, things.length - end);
  const more = make("button", { type: "button", class: "more" }, `Show ${count(next)} more of ${count(things.length)}`);
  more.addEventListener("click", () => addInParts(place, things, 10 * size, draw, end));
  box.after(more);
}

/** Creates a disclosure whose content is created when it is opened. */
function onDemand(title, draw) {
  const details = make("details", null, make("summary", null, title));
  details.addEventListener("toggle", () => details.append(draw()), { once: true });
  return details;
}

// MARK: - The server

async function ask(path, body, type, signal) {
  for (;;) {
    const headers = { "Content-Type": type };
    if (token) headers.Authorization = `Bearer ${token}`;
    const answer = await fetch(path, { method: "POST", body, headers, cache: "no-store", redirect: "error", signal });
    if (answer.status === 401) {
      token = await askForToken(signal);
      continue;
    }
    const text = await answer.text();
    let json = null;
    try { json = JSON.parse(text); } catch { /* A proxy's error page. */ }
    if (answer.ok && json) return { json, text };
    const known = { 413: "too large for this server", 503: "the server is busy; try again" };
    const message = known[answer.status] ?? json?.error?.message ?? "unexpected response";
    throw Object.assign(new Error(`${message} (HTTP ${answer.status})`), { json, status: answer.status });
  }
}

function askForToken(signal) {
  showStatus(token ? "That token was not accepted." : "", Boolean(token));
  at("access").hidden = false;
  at("token").value = "";
  at("token").focus();
  return new Promise((resolve, reject) => {
    const done = new AbortController();
    const end = (settle, value) => { done.abort(); at("access").hidden = true; settle(value); };
    signal.addEventListener("abort", () => end(reject, signal.reason), { signal: done.signal });
    at("access").addEventListener("submit", (event) => {
      event.preventDefault();
      const given = at("token").value.trim();
      // A header cannot contain other characters.
      if (!/^[\x21-\x7e]+$/.test(given)) return showStatus("A token is printable ASCII without spaces.", true);
      at("token").value = "";
      showStatus("");
      end(resolve, given);
    }, { signal: done.signal });
  });
}

// MARK: - Input

/** A member with a name of the App Store Server API. Escapes may hide it, except in the output of JSON.stringify. */
const signedMember = /(?<!\\)"signed(Transactions|TransactionInfo|RenewalInfo|AppTransactionInfo|Payload)"\s*:/;

/** Reads pasted or dropped input: bytes for /v1/verify, and text for /v1/eligibility. */
async function readInput(name, blob) {
  if (blob.size > largest) throw new Error("larger than the limit of 16 MiB");
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const input = { name, body: blob };
  try {
    // With a byte order mark, which the server refuses in a JWS and in JSON.
    input.text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    let binary = "";
    for (let i = 0; i < bytes.length; i += 32768) binary += String.fromCharCode(...bytes.subarray(i, i + 32768));
    return Object.assign(input, { text: btoa(binary) });
  }
  if (!input.text.trim()) throw new Error("empty");
  // A request to verifyReceipt or its answer is unsigned, but the receipt in it is signed.
  let json = null;
  try { json = JSON.parse(input.text.replace(/^\uFEFF/, "")); } catch { /* Not JSON. */ }
  const members = ["receipt-data", "latest_receipt"].filter((member) => typeof json?.[member] === "string");
  // The server also verifies signed objects beside the receipt.
  if (members.length !== 1 || signedMember.test(input.text) || signedMember.test(JSON.stringify(json))) return input;
  const [member] = members;
  const what = member === "receipt-data" ? "request" : "response";
  const note = `Unsigned verifyReceipt ${what}: only the receipt in its ${member} is verified.`;
  return { name, text: json[member], body: json[member], note };
}

function policyQuery() {
  const policy = new URLSearchParams();
  if (at("bundle").value.trim()) policy.set("bundle_id", at("bundle").value.trim());
  if (at("environment").value) policy.set("environment", at("environment").value);
  return String(policy) && `?${policy}`;
}

/** Verifies sources, which are pairs of a name and a blob. They are kept to verify them again under another policy. */
async function verify(sources) {
  running.abort();
  given = sources;
  const mine = running = new AbortController(), { signal } = mine;
  at("results").hidden = at("parts").hidden = true;
  document.body.classList.add("busy");
  try {
    if (!at("date").validity.valid) return showStatus("The date of the offers must be from 2008 to 2099.", true);
    query = policyQuery();
    asOf = at("date").value ? new Date(`${at("date").value}Z`) : null;
    chosenCatalog = at("catalog").files[0];
    const inputs = [];
    for (const [name, blob] of sources) {
      showStatus(sources.length > 1 ? `Verifying ${inputs.length + 1} of ${sources.length}…` : "Verifying…");
      let input = { name };
      try {
        if (inputs.length >= atOnce) throw new Error(`the limit is ${atOnce} files at a time`);
        input = await readInput(name, blob);
        const { json, text } = await ask(`v1/verify${query}`, input.body, "application/octet-stream", signal);
        if (!Array.isArray(json.results) || !json.results.length) throw new Error("unexpected response");
        Object.assign(input, { results: json.results, raw: text });
      } catch (error) {
        if (signal.aborted) return;
        input.fault = error instanceof TypeError ? "the server did not answer"
          : error instanceof DOMException ? "the file cannot be read" : error.message;
      }
      if (signal.aborted) return;
      inputs.push(input);
    }
    const beyond = sources.length - atOnce;
    showStatus(beyond > 0 ? `${count(beyond, "file")} skipped: the limit is ${atOnce} at a time.` : "");
    show(inputs);
    await showOffers(inputs, signal);
  } finally {
    if (running === mine) document.body.classList.remove("busy");
  }
}

function showStatus(text, isFault = false) {
  at("status").className = isFault ? "refused" : "";
  at("status").textContent = written(text);
}

// MARK: - Signed content

const kinds = { transaction: "signed transaction", renewal_info: "signed renewal information",
  app_transaction: "signed app transaction", notification: "notification of the App Store",
  realtime_request: "request for a retention message" };
const anchorKinds = { custom: "the server's own root: proves nothing about the App Store",
  storekit_test: "StoreKit Test: proves nothing about the App Store" };
const revocationTexts = { not_checked: "not checked", good: "good", no_information: "no information",
  "before-revocation": "a certificate was revoked later; the date before that is the signer's claim",
  "before-distrust": "a certificate is distrusted later; the date before that is the signer's claim" };
const meanings = {
  malformed: "not an object that the App Store signs, or damaged",
  too_large: "larger than any known genuine object",
  untrusted_chain: "the certificate chain does not lead to a trusted root",
  bad_signature: "the content was altered after it was signed",
  wrong_purpose: "Apple does not sign these objects with this kind of certificate",
  revoked: "a certificate was revoked, or is distrusted",
  revocation_unknown: "no revocation list covers a certificate",
  wrong_bundle_id: "genuine, but for an app that the policy does not accept, or it names no app",
  wrong_environment: "genuine, but from an environment that the policy does not accept",
  wrong_device: "genuine, but for another device" };

function show(inputs) {
  const objects = inputs.flatMap((input) => input.results?.map((result) => ({ input, result })) ?? [{ input }]);
  const genuine = objects.filter(({ result }) => result?.status === "genuine");
  const heading = at("answer");
  const isWhole = genuine.length === objects.length;
  heading.className = isWhole ? "genuine" : "refused";
  heading.textContent = objects.length === 1 ? (isWhole ? "Genuine" : objects[0].result ? "Refused" : "Not verified")
    : isWhole ? `All ${count(objects.length)} genuine` : `${count(genuine.length)} of ${count(objects.length)} genuine`;
  const foreign = genuine.filter(({ result }) => result.realm !== "app_store");
  at("foreign").hidden = !foreign.length;
  const reasons = new Set(foreign.map(({ result }) => `Signed under ${anchorKinds[result.realm] ?? result.realm}.`));
  at("foreign").replaceChildren(make("strong", null, "Genuine, but not Apple's."), ` ${[...reasons].join(" ")}`);
  at("objects").replaceChildren();
  addInParts(at("objects"), objects, 20, ({ input, result }) =>
    explain(input, result, objects.length, foreign.length < genuine.length));
  const purchases = genuine.flatMap(({ input, result }) =>
    [result.receipt?.in_app ?? result.in_app ?? []].flat().map((purchase) =>
      purchaseOf(purchase, result[result.kind] ?? {}, input.name + place(result))));
  showTimes(purchases);
  at("bought").closest("section").hidden = !genuine.length;
  showPurchases(purchases, genuine.length > 1);
  at("answers").replaceChildren(...inputs.filter((input) => input.raw).map((input) => raw(input.name, input.raw)));
  at("results").hidden = at("parts").hidden = false;
  showParts();
  heading.focus({ preventScroll: true });
  heading.scrollIntoView({ block: "start" });
}

/** Hides the links to empty parts. */
function showParts() {
  for (const link of document.querySelectorAll("#parts a"))
    link.parentElement.hidden = at(link.hash.slice(1)).closest("section").hidden;
}

/** Returns the place of the object in a notification or an answer. */
const place = (result) => /#.*$/s.exec(result.source ?? "")?.[0] ?? "";

/** Creates the explanation of one object. Among many objects, only those that are not genuine, or may not be, are open. */
function explain(input, result, objects, isAnchorKindShown) {
  const refusal = result?.refusal;
  const where = refusal?.offset == null ? "" : ` at byte ${count(refusal.offset)}`;
  const verdict = refusal ? `Refused: ${refusal.code}${where}` : result ? "Genuine" : `Not verified: ${input.fault}`;
  const article = make("article"), body = [
    input.note ? make("p", { class: "omitted" }, input.note) : null,
    refusal ? refusedFacts(refusal, result) : result ? genuineFacts(result, isAnchorKindShown) : null].flat().filter(Boolean);
  const color = result ? result.status : "unreadable";
  const headline = make("strong", { class: color }, verdict);
  if (objects === 1) {
    article.append(...result?.status === "genuine" ? [] : [make("p", null, headline)], ...body);
    return article;
  }
  const name = make("bdi", null, input.name + (result ? place(result) : ""));
  const what = result?.status !== "genuine" ? null
    : make("small", null, `${kindOf(result)}, ${utc(result.signature.verified_at)}`);
  const details = make("details", null, make("summary", null, make("h3", null, headline, " ", name), what), ...body);
  details.open = objects <= 3 || result?.status !== "genuine" || result.revocation.caveats.length > 0;
  article.append(details);
  return article;
}

const kindOf = (result) => result.receipt ? "receipt"
  : result.format === "transaction_receipt" ? "transaction receipt" : kinds[result.kind];

const refusedFacts = (refusal, result) => [
  facts([["Problem", refusal.message], ["Meaning", meanings[refusal.code]], ["Field", refusal.field],
    ["SHA-256", result.sha256]]),
  make("p", { class: "omitted" }, "Its content is not authenticated, so it is not shown.")];

function revocation({ status, as_of: date, caveats }) {
  const text = (name) => revocationTexts[name] ?? name;
  return [text(status) + (date ? ` as of ${utc(date)}` : ""), ...caveats.map(text)].join("; ");
}

function genuineFacts(result, isAnchorKindShown) {
  const [signer] = result.signature.chain;
  return [facts([
    ["What", kindOf(result)],
    ["Genuine, but", isAnchorKindShown ? anchorKinds[result.realm] : null],
    ...result.receipt ? receiptFacts(result.receipt) : objectFacts(result),
    ["Environment", result.environment == null ? "not named"
      : result.environment === "Production" ? "Production" : `${result.environment}: no money was paid`],
    ["Signed", result.receipt ? null : utc(result.signature.verified_at)],
    ["Signed by", signer.subject],
    ["Certificate", `valid ${signer.not_before.slice(0, 10)} to ${signer.not_after.slice(0, 10)}`],
    ["Revocation", revocation(result.revocation)],
    ["Digest", result.signature.digest.replace("sha", "SHA-")],
    ["Caveat", result.caveats?.includes("rsa-1024") ? "1024-bit key: an attacker who factors it can forge such receipts" : null],
    ["SHA-256", result.sha256], ["Signed content", result.content_sha256]]),
  onDemand("All signed members", () => members(result.receipt ?? result[result.kind]))];
}

const receiptFacts = (receipt) => [
  ["App", receipt.bundle_id], ["Version", receipt.application_version],
  ["First version", receipt.original_application_version],
  ["Created", utc(receipt.receipt_creation_date)], ["First bought", utc(receipt.original_purchase_date)],
  ["Expires", utc(receipt.expiration_date)], ["Purchases", count(receipt.in_app.length)]];

function objectFacts(result) {
  const content = result[result.kind] ?? {};
  const data = content.data ?? content.summary ?? content.appData ?? content.externalPurchaseToken ?? content;
  const time = (value) => utc(instant(value));
  return [
    ["Type", [content.notificationType, content.subtype].filter(Boolean).join(", ")], ["App", data.bundleId ?? content.bid],
    ["App Apple ID", data.appAppleId], ["Locale", content.userLocale], ["Request", content.requestIdentifier],
    ["Version", content.applicationVersion ?? data.bundleVersion], ["First version", content.originalApplicationVersion],
    ["First bought", result.kind === "app_transaction" ? time(content.originalPurchaseDate) : null],
    ["Cancelled", result.kind === "app_transaction" ? time(content.revocationDate) : null],
    ["Product", result.in_app?.product_id ?? content.productId],
    ["Price", content.currency == null || content.price == null ? null : `${(content.price / 1000).toFixed(content.price % 10 ? 3 : 2)} ${content.currency}`],
    ["Renewal", content.autoRenewStatus === 1 ? "will renew" : content.autoRenewStatus === 0 ? "will not renew" : null],
    ["Period ends", time(content.renewalDate)], ["Grace until", time(content.gracePeriodExpiresDate)],
    ["Billing", content.isInBillingRetryPeriod === true ? "Apple retries the payment" : null]];
}

/** Formats milliseconds since 1970 as RFC 3339. */
function instant(value) {
  const made = typeof value === "number" ? new Date(value) : null;
  return made && !isNaN(made) ? made.toISOString().replace(".000Z", "Z") : null;
}

/** Creates a table of all members under Apple's names, with a dot before nested names. */
function members(object) {
  const rows = [];
  const walk = (value, name) => {
    if (value == null || name === "in_app") return;
    if (name === "unknown" && Array.isArray(value))
      for (const { type, value: bytes } of value) walk(bytes, `attribute ${type}`);
    else if (typeof value === "object")
      for (const [key, inner] of Object.entries(value)) walk(inner, name ? `${name}.${key}` : key);
    else rows.push([name, /Date$/.test(name) && instant(value) ? `${value} = ${utc(instant(value))}` : value]);
  };
  walk(object, "");
  const body = make("tbody");
  const region = { class: "scroll", role: "region", "aria-label": "All that was signed", tabindex: 0 };
  const box = make("div", null, make("div", region, make("table", { class: "members" }, body)));
  addInParts(body, rows, 200, ([name, value]) =>
    make("tr", null, make("th", { scope: "row" }, name), make("td", null, written(value, 200))));
  return box;
}

const raw = (name, text) => onDemand(written(name), () =>
  make("pre", { tabindex: 0, role: "region", "aria-label": `Answer: ${written(name)}` },
    document.createTextNode(written(text, 200_000))));

// MARK: - Purchases and their periods

const offerTypes = { 2: "promotional offer", 3: "offer code", 4: "win-back offer" };

/** Only the content of signed transactions has an offer's type. It, or that of a transaction receipt, may have an owner. */
function purchaseOf(signed, { offerType, offerIdentifier, inAppOwnershipType, ...content }, source) {
  const owner = inAppOwnershipType ?? content["in-app-ownership-type"];
  const [start, expires, cancelled] = [signed.purchase_date, signed.expires_date, signed.cancellation_date]
    .map((text) => text == null ? NaN : Date.parse(text));
  const identifier = offerIdentifier ?? signed.promotional_offer_identifier;
  const [offer, texture] = signed.is_trial_period ? [identifier ? "free period" : "free trial", "wide"]
    : signed.is_in_intro_offer_period ? ["introductory", "narrow"] : [signed.expires_date ? "period" : "purchase", "solid"];
  const named = offerType > 1 ? offerTypes[offerType] ?? `offer of type ${offerType}` : identifier && "offer";
  return {
    start, end: Math.min(expires, isNaN(cancelled) ? Infinity : cancelled), source,
    product: signed.product_id ?? "(no product)", group: signed.subscription_group_identifier, texture: signed.cancellation_date ? "open" : texture,
    kind: [offer, [named, identifier].filter(Boolean).join(" "),
      owner === "FAMILY_SHARED" ? "shared by the family" : owner && owner !== "PURCHASED" && `owner ${owner}`,
      signed.cancellation_date && "refunded or revoked", signed.quantity > 1 && `${signed.quantity} of them`]
      .filter(Boolean).join(", "),
    bought: date(signed.purchase_date) ?? "", expires: date(signed.expires_date) ?? "",
    transaction: signed.transaction_id ?? "",
    cancelled: signed.cancellation_date && `cancelled ${date(signed.cancellation_date)}`,
  };
}

function showPurchases(purchases, isNamed) {
  const table = at("purchases");
  table.classList.toggle("named", isNamed);
  const when = (row) => isNaN(row.start) ? -Infinity : row.start;
  const sorted = purchases.toSorted((a, b) => when(b) - when(a) || 0);
  at("filter").hidden = purchases.length <= 20;
  at("words").value = "";
  const text = ({ bought, product, kind, expires, transaction, source }) =>
    [bought, product, kind, expires, transaction, source].join(" ").toLowerCase();
  const draw = () => {
    const words = at("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const rows = words.length ? sorted.filter((row) => words.every((word) => text(row).includes(word))) : sorted;
    at("shown").value = `${count(rows.length)} of ${count(purchases.length)} purchases`;
    table.tBodies[0]?.remove();
    const body = table.appendChild(make("tbody"));
    if (!rows.length) body.append(make("tr", null, make("td", { colspan: 6 }, "None.")));
    addInParts(body, rows, 100, (row) => make("tr", null, make("td", null, row.bought),
      make("th", { scope: "row" }, row.product), make("td", null, row.kind),
      make("td", null, row.expires, row.cancelled && make("small", null, row.cancelled)),
      make("td", null, row.transaction), isNamed ? make("td", null, row.source) : null));
  };
  at("words").oninput = draw;
  draw();
}

/**
 * Shows a line for each group, or for each product whose group is not in the signed content. The future gets at most
 * half the width, because a period to the year 4001 would shrink all others to one point.
 */
function showTimes(purchases) {
  const periods = purchases.filter((period) => period.end >= period.start && isFinite(period.end))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  at("times").closest("section").hidden = !periods.length;
  if (!periods.length) return;
  const asked = (asOf ?? new Date()).getTime();
  const from = Math.min(periods[0].start, asked);
  const last = periods.reduce((latest, period) => Math.max(latest, period.end), asked);
  const to = Math.max(asked, Math.min(last, asked + Math.max(asked - from, 86_400_000)), from + 1);
  const on = (time) => Math.round(Math.max(0, Math.min(1, (time - from) / (to - from))) * 1000);
  const groups = new Map(purchases.filter(({ group }) => group != null)
    .map(({ product, group }) => [product, `group ${group}`]));
  const timelines = Map.groupBy(periods, ({ product }) => groups.get(product) ?? product);
  at("timelines").replaceChildren();
  addInParts(at("timelines"), [...timelines], 20, ([name, periods]) => timeline(name, periods, on, asked));
  [at("start"), at("asked"), at("end")].forEach((place, i) =>
    place.textContent = [day(from), `as of ${day(asked)}`, day(to)][i]);
}

function timeline(name, periods, on, asked) {
  const line = (kind, x1, x2, y1 = 11, y2 = 11) => make("line", { class: kind, x1, x2, y1, y2 });
  const gaps = [], drawn = [];
  let covered = periods[0].end;
  for (const { start, end, texture } of periods) {
    if (start > covered) gaps.push([on(covered), on(start)]);
    covered = Math.max(covered, end);
    // A period too short to see gets a visible width. Short periods that touch are drawn as one.
    const x = Math.min(on(start), 996), x2 = Math.min(Math.max(on(end), x + 4), 1000), last = drawn.at(-1);
    if (last?.texture === texture && x <= last.x2 + 1 && x2 - x < 8) last.x2 = Math.max(last.x2, x2);
    else drawn.push({ texture, x, x2 });
  }
  if (covered < asked) gaps.push([on(covered), on(asked)]);
  const mark = Math.min(Math.max(on(asked), 1), 999);
  const summary = `${count(periods.length, "period")}, ${count(gaps.length, "gap")}`;
  return make("div", null, make("p", { class: "timeline" }, make("bdi", null, name)),
    make("svg", { class: "timeline", viewBox: "0 0 1000 22", preserveAspectRatio: "none", role: "img",
      "aria-label": written(`${name}: ${summary}; the table of purchases lists them`) },
    gaps.filter(([x1, x2]) => x2 > x1).map(([x1, x2]) => line("gap", x1, x2)),
    drawn.map(({ texture, x, x2 }) => make("g", { class: texture },
      make("rect", { class: "frame", x, y: 4, width: x2 - x, height: 14 }),
      texture === "open" ? null : line("", x, x2))),
    line("mark", mark, mark, 0, 22)));
}

// MARK: - Offers

const isGenuine = (result) => result.status === "genuine";

/** A short text that is refused as evidence. */
const refusedText = "MAA=";

/** Returns the text of a file for /v1/eligibility, or for a large file without evidence a short text that is refused as well. */
const evidenceText = ({ text, results }) => text.length > 65536
  && results.every((result) => !isGenuine(result) && result.refusal.code !== "wrong_bundle_id") ? refusedText : text;

async function showOffers(inputs, signal) {
  const section = at("offers").closest("section"), table = at("verdicts");
  const evidence = inputs.filter((input) => input.results);
  section.hidden = !evidence.some((input) => input.results.some(isGenuine));
  table.parentElement.hidden = true;
  showParts();
  if (section.hidden) return;
  const note = (...texts) => { at("offers-note").textContent = written(texts.filter(Boolean).join(" ")); };
  note("Loading…");
  let catalog = null;
  try {
    const failed = inputs.length - evidence.length;
    // Genuine objects beside refused ones count, and renewal information, which names no app, beside its transaction. Files that
    // were not verified may contain evidence, so the offers get the caveat of refused evidence.
    const question = { refused_evidence: "caveat", evidence: evidence.map(evidenceText) };
    if (failed) question.evidence.push(refusedText);
    if (asOf) question.as_of = asOf.toISOString();
    if (chosenCatalog) JSON.parse(catalog = new TextDecoder("utf-8", { fatal: true }).decode(await chosenCatalog.arrayBuffer()));
    // The text, because JavaScript would drop duplicate names, which the server refuses.
    const asked = JSON.stringify(question).replace(/\}$/, () => (catalog ? `,"catalog":${catalog}}` : "}"));
    const { json, text } = await ask(`v1/eligibility${query}`, asked, "application/json", signal);
    if (signal.aborted) return;
    const [first] = json.verdicts, refused = json.refusals.filter(({ evidence: number }) => number < evidence.length);
    note(first ? `As of ${utc(first.as_of)}; the newest evidence is of ${utc(first.evidence_date)}.`
      : "The catalog has no products.", refused.length && `${count(refused.length, "object")} refused and left out.`,
      failed && `${count(failed, "file")} not verified.`);
    table.tBodies[0]?.remove();
    const body = table.appendChild(make("tbody"));
    table.parentElement.hidden = !json.verdicts.length;
    addInParts(body, json.verdicts, 50, (verdict) => make("tr", null,
      make("th", { scope: "row" }, verdict.product_id,
        verdict.subscription_group == null ? null : make("small", null, `group ${verdict.subscription_group}`)),
      [verdict.introductory_offer, verdict.promotional_offer, verdict.win_back_offer]
        .map((each) => make("td", null, offer(each))),
      make("td", null, state(verdict.subscription))));
    at("answers").append(raw("Offers", text));
  } catch (error) {
    if (signal.aborted) return;
    const refused = error.json?.refusals?.map(({ evidence: number, refusal }) =>
      `${evidence[number]?.name ?? "evidence"}: ${refusal.code}, ${refusal.message}.`) ?? [];
    const message = error.message.replace(/evidence\[(\d+)\]/g, (part, number) => evidence[number]?.name ?? part);
    note(`No result: ${error instanceof DOMException ? "the catalog cannot be read"
      : error instanceof SyntaxError || (chosenCatalog && catalog === null) ? "the catalog is not JSON in UTF-8" : message}.`, ...refused,
      !catalog && /catalog/.test(error.json?.error?.message)
        && "Subscription groups come from a catalog: choose one above, or start the server with --catalog.");
  }
}

const colors = { eligible: "genuine", ineligible: "refused", undetermined: "unreadable" };

function offer({ outcome, rule, certainty, explanation, caveats, transactions, offers }) {
  const small = (text, attributes) => make("small", attributes, text);
  const others = transactions.length > 5 ? ` and ${count(transactions.length - 5)} more` : "";
  return [make("strong", { class: colors[outcome] }, outcome === "ineligible" ? "not eligible" : outcome),
    small([rule, certainty?.replaceAll("_", " ")].filter(Boolean).join(", ")),
    ...caveats.map((caveat) => small(`caveat: ${caveat}`, { class: "reservation" })),
    make("details", null, make("summary", null, "Why"), make("p", null, explanation),
      offers?.length ? make("p", null, `Offers: ${offers.join(", ")}`) : null,
      transactions.length ? make("p", null, `Based on ${transactions.slice(0, 5).join(", ")}${others}.`) : null)];
}

const state = ({ state, product_id: product, since, until }) => [state.replaceAll("_", " "),
  ...[product, since && `since ${utc(since)}`, until && `until ${utc(until)}`].filter(Boolean)
    .map((text) => make("small", null, text))];

// MARK: - User input

const verifyText = (text) => verify([[`pasted text, ${count(text.length, "character")}`, new Blob([text])]]);

function verifyFiles(files) {
  at("text").value = "";
  return verify(Array.from(files, (file) => [file.name, file]));
}

function take(data) {
  if (data.files.length) return verifyFiles(data.files), true;
  const text = data.getData("text/plain");
  if (!text.trim()) return false;
  // A text box needs seconds for megabytes, so they are not shown in it.
  at("text").value = text.length > 100_000 ? "" : text;
  return verifyText(text), true;
}

at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (at("text").value.trim()) verifyText(at("text").value);
  else if (given.length) verify(given);
  else showStatus("Nothing to verify yet: paste a receipt, or choose a file.", true), at("text").focus();
});
at("ask").addEventListener("reset", () => {
  running.abort();
  given = [];
  at("results").hidden = at("parts").hidden = true;
  showStatus("");
  at("text").focus();
});
at("text").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) at("ask").requestSubmit();
});
at("choose").addEventListener("click", () => at("files").click());
at("files").addEventListener("change", () => {
  if (at("files").files.length) verifyFiles(at("files").files);
  // Otherwise the user could not choose the same file again.
  at("files").value = "";
});
at("filter").addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("paste", (event) => {
  // Text pasted into another field, or into text that the user is editing, stays there.
  if (event.target.matches("input") || event.target === at("text") && at("text").value.trim()) return;
  if (take(event.clipboardData)) event.preventDefault();
});
for (const name of ["dragover", "dragleave", "drop"])
  document.addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.toggle("dragging", name === "dragover");
    if (name === "drop" && !take(event.dataTransfer)) showStatus("There is neither a file nor text in what was dropped.", true);
  });
