// Keeps pages up to date: applies events to the board, reads other pages again in parts, and rewrites relative times.
// Everything here can be missing: pages are whole without it.
"use strict";

(() => {
  const doc = document;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const board = () => doc.getElementById("board");
  // The clock of whoever drew the page: what is relative is relative to it.
  let ahead = 0;
  const setClock = (now) => { if (now) ahead = Date.parse(now) - Date.now(); };
  setClock(doc.documentElement.dataset.now);

  // Times

  const short = (s) => (s < 60 ? s + "s" : s < 3600 ? Math.floor(s / 60) + "m" : s < 86400 ? Math.floor(s / 3600) + "h" : Math.floor(s / 86400) + "d");
  const words = (time) => {
    const seconds = Math.trunc((Date.now() + ahead - Date.parse(time.dateTime)) / 1000);
    if ("short" in time.dataset) return short(Math.max(seconds, 0));
    return seconds === 0 ? "now" : seconds > 0 ? short(seconds) + " ago" : "in " + short(-seconds);
  };
  const tick = () => {
    for (const time of doc.getElementsByTagName("time")) {
      const text = words(time);
      if (time.textContent !== text) time.textContent = text;
    }
  };
  setInterval(tick, 5000);

  // The board

  // The parts of other pages as they were drawn last.
  const drawn = new Map();
  const parse = (html) => {
    const template = doc.createElement("template");
    template.innerHTML = html;
    return template.content.firstElementChild;
  };
  const listOf = (column) => [...board().querySelectorAll(".cards")].find((list) => list.dataset.column === column);
  const fits = (card) => {
    const text = (card.id + " " + card.textContent).toLowerCase();
    return (board().dataset.q || "").toLowerCase().split(/\s+/).every((word) => text.includes(word));
  };
  const recount = () => {
    for (const column of board().querySelectorAll(".column")) {
      column.querySelector(".count").textContent = column.querySelector(".cards").childElementCount;
    }
    // What is counted by state is the whole board, and not what a filter shows of it.
    if (!board().dataset.q) for (const tally of doc.querySelectorAll("[data-tally]")) {
      tally.querySelector("b").textContent = board().querySelectorAll(".card." + tally.dataset.tally).length;
    }
    const notice = doc.getElementById("notice");
    if (notice) notice.hidden = board().querySelector(".card") !== null;
  };

  // Changes lists of cards, and lets what moved by it glide from where it was.
  const glide = (lists, change) => {
    const before = new Map();
    if (!calm.matches) for (const list of new Set(lists)) for (const card of list.children) before.set(card.id, card.getBoundingClientRect());
    change();
    for (const [id, from] of before) {
      const card = doc.getElementById(id);
      if (!card) continue;
      const to = card.getBoundingClientRect();
      const [x, y] = [from.left - to.left, from.top - to.top];
      if (x || y) card.animate([{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }], { duration: 220, easing: "ease-out" });
    }
  };

  const put = ({ issue, column, after, html }) => {
    const list = board() && listOf(column);
    if (!list) return;
    const [old, card] = [doc.getElementById(issue), parse(html)];
    const focused = old && old.contains(doc.activeElement) ? doc.activeElement.getAttribute("href") : null;
    const before = after && doc.getElementById(after);
    const hasMoved = !old || old.parentElement !== list;
    glide(old ? [list, old.parentElement] : [list], () => {
      if (old) old.remove();
      if (!fits(card)) return;
      if (before && before.parentElement === list) before.after(card);
      else list.prepend(card);
    });
    if (focused) card.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    if (hasMoved) {
      card.classList.add("fresh");
      doc.getElementById("news").textContent = `${issue} is in ${column}`;
    }
    recount();
  };
  const drop = ({ issue }) => {
    const card = board() && doc.getElementById(issue);
    if (!card) return;
    glide([card.parentElement], () => card.remove());
    recount();
  };
  const hide = (hidden) => {
    for (const [column, count] of Object.entries(hidden)) {
      const line = board() && listOf(column)?.parentElement.querySelector(".hidden");
      if (!line) continue;
      line.hidden = count === 0;
      line.querySelector("span").textContent = count;
    }
  };
  const warn = ({ html }) => {
    const old = doc.getElementById("warnings");
    if (!old || !board()) return;
    const warnings = parse(html);
    const [was, is] = [old.querySelector("details"), warnings.querySelector("details")];
    if (was && is) is.open = was.open;
    old.replaceWith(warnings);
    // What was drawn of a whole page before is not what is shown any more.
    drawn.delete("warnings");
  };

  // Other pages: the parts that differ are replaced, except those that somebody is at.

  const isBusy = (part) => {
    const active = doc.activeElement;
    if (part.contains(active) && active.matches("input, textarea, select")) return true;
    return "forms" in part.dataset && [...part.querySelectorAll("textarea, input:not([type=hidden])")].some((field) => field.value);
  };
  const keepState = (old, part) => {
    // By name where there is one: forms come and go, and the one that somebody opened must not become its neighbor.
    const name = (fold) => fold.querySelector("summary")?.id;
    const folds = [...part.querySelectorAll("details")];
    old.querySelectorAll("details").forEach((fold, place) => {
      const same = name(fold) ? folds.find((other) => name(other) === name(fold)) : folds[place];
      if (same) same.open = fold.open;
    });
    for (const box of old.querySelectorAll("input[type=checkbox][id]")) {
      const same = [...part.querySelectorAll("input[type=checkbox]")].find((other) => other.id === box.id);
      if (same) same.checked = box.checked;
    }
  };
  const refocus = (old, part) => {
    const active = old.contains(doc.activeElement) ? doc.activeElement : null;
    return () => {
      if (!active) return;
      const all = [...part.querySelectorAll("a, summary, button")];
      const same = all.find((other) => (active.id ? other.id === active.id : other.textContent === active.textContent));
      same?.focus({ preventScroll: true });
    };
  };
  const replaceParts = (page) => {
    for (const part of page.querySelectorAll("[data-live]")) {
      const old = doc.getElementById(part.id);
      const source = part.outerHTML;
      if (!old || drawn.get(part.id) === source || isBusy(old)) continue;
      drawn.set(part.id, source);
      keepState(old, part);
      const focus = refocus(old, part);
      const [left, top] = [old.scrollLeft, old.scrollTop];
      old.replaceWith(part);
      part.scrollTo(left, top);
      if (window.htmx) window.htmx.process(part);
      focus();
    }
  };

  // The connection: whether events come, and whether what they told of could be read.

  let hears = false;
  let stale = "";
  const link = (state, text, title) => {
    const sign = doc.getElementById("link");
    sign.className = "link " + state;
    sign.title = title || "";
    sign.querySelector(".words").textContent = text;
  };
  const tell = () => {
    if (!hears) link("off", "not live", "The connection is lost. It is tried again by itself.");
    else if (stale) link("off", "not up to date", stale);
    else link("on", "live");
  };

  let reading = false;
  let again = false;
  const typed = () => [...doc.querySelectorAll("textarea, main input:not([type=hidden]):not([type=search]):not([type=checkbox])")].some((field) => field.value);
  // Whoever is not known any more is shown the login, unless that would lose what they have typed.
  const loggedOut = () => {
    if (!typed()) location.reload();
    return "You are logged out. Log in again in another tab, or reload this page.";
  };
  const take = (page) => {
    const [old, part] = [doc.querySelector("[data-refresh]"), page.querySelector("[data-refresh]")];
    if (old && part) old.dataset.refresh = part.dataset.refresh;
    setClock(page.documentElement.dataset.now);
    replaceParts(page);
    tick();
  };
  const fetchPage = async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (answer.redirected && new URL(answer.url).pathname === "/login") return loggedOut();
      if (!answer.ok) return `This page could not be read again (${answer.status}): it shows what was. It is tried again by itself.`;
      take(new DOMParser().parseFromString(await answer.text(), "text/html"));
      return "";
    } catch {
      return "The server could not be asked: this page shows what was. It is tried again by itself.";
    }
  };
  const read = async () => {
    if (reading) { again = true; return; }
    reading = true;
    stale = await fetchPage();
    tell();
    // A page that changes all the time is read once a second; one that could not be read, a while later.
    setTimeout(() => { reading = false; if (again || stale) { again = false; read(); } }, stale ? 5000 : 1000);
  };
  // What is over does not change any more.
  const readOther = () => { if (doc.querySelector("[data-refresh]:not([data-refresh=over])")) read(); };

  let source = null;
  let pause = 0;
  let wasGreeted = false;
  const hear = () => {
    hears = true;
    pause = 0;
    tell();
  };
  const hush = () => {
    source?.close();
    source = null;
    hears = false;
  };
  // A browser tries a lost connection again, but not an answer that is none: that is done here.
  const lose = () => {
    const isOver = source?.readyState === EventSource.CLOSED;
    hears = false;
    tell();
    if (!isOver) return;
    hush();
    pause = Math.min(pause + 5000, 60000);
    setTimeout(() => { if (!source && !doc.hidden) { listen(); read(); } }, pause);
  };
  const listen = () => {
    if (source || doc.hidden) return;
    source = new EventSource("/events");
    const on = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
    on("hello", (told) => {
      hear();
      if (board() ? String(told) !== board().dataset.told : wasGreeted) read();
      wasGreeted = true;
    });
    on("card", put);
    on("gone", drop);
    on("counts", hide);
    on("warnings", warn);
    on("resync", () => read());
    on("changed", ({ now }) => { hear(); setClock(now); readOther(); });
    on("trouble", ({ words }) => link("off", "trouble", words));
    source.onerror = lose;
  };
  addEventListener("pagehide", hush);
  // A browser has few connections for each host, so a tab that nobody sees does not hold one.
  doc.addEventListener("visibilitychange", () => (doc.hidden ? hush() : listen()));
  doc.body.addEventListener("relay-changed", readOther);
  addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

  // Following a log

  doc.body.addEventListener("htmx:afterSettle", () => {
    const follow = doc.getElementById("follow");
    if (follow && follow.checked) scrollTo({ top: doc.documentElement.scrollHeight, behavior: calm.matches ? "auto" : "smooth" });
    tick();
  });
  // A form whose order was carried out is empty again.
  doc.body.addEventListener("htmx:afterRequest", (event) => {
    const form = event.detail.elt;
    if (event.detail.successful && form.matches?.(".orders form")) form.reset();
  });

  listen();
})();
