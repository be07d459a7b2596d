"use strict";
(() => {
  // On the ropes that Python computed the page shows Python's numbers; between two of them it interpolates.
  const byId = (id) => document.getElementById(id);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const table = byId("pair-table");
  const rows = all("tbody tr", table);
  const data = JSON.parse(byId("curves").textContent);
  const slider = byId("rope");
  const search = byId("search");
  let ropeText = data ? data.texts[data.at] : byId("count").textContent.split("rope ").pop();

  byId("tools").hidden = false;
  document.body.classList.add("live");

  // ---- sort
  const value = (cell, numeric) => {
    const text = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
    if (!numeric) return cell.textContent.trim();
    const x = parseFloat(text);
    return Number.isNaN(x) ? -Infinity : x;
  };
  const sortBy = (header, direction) => {
    const owner = header.closest("table");
    const body = owner.tBodies[0];
    const numeric = header.dataset.kind === "number";
    const column = header.cellIndex;
    const sign = direction === "ascending" ? 1 : -1;
    const keyed = [...body.rows].map((row) => [value(row.cells[column], numeric), row]);
    keyed.sort(([x], [y]) => sign * (numeric ? (x < y ? -1 : x > y ? 1 : 0) : collator.compare(x, y)));
    body.append(...keyed.map(([, row]) => row));
    for (const other of header.parentElement.cells) {
      if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", other === header ? direction : "none");
    }
  };
  for (const button of all("button.sort")) {
    button.addEventListener("click", () => {
      const header = button.closest("th");
      const first = header.dataset.kind === "number" ? "descending" : "ascending";
      const second = first === "ascending" ? "descending" : "ascending";
      sortBy(header, header.getAttribute("aria-sort") === first ? second : first);
    });
  }

  // ---- search
  const words = rows.map(() => "");
  const read = (i) => {
    words[i] = rows[i].textContent.toLowerCase();
  };
  rows.forEach((_, i) => read(i));
  const filter = () => {
    const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !wanted.every((word) => words[i].includes(word));
      if (!row.hidden) shown += 1;
    });
    const count = shown === rows.length ? `${shown}` : `${shown} of ${rows.length}`;
    byId("count").textContent = `${count} pair${rows.length > 1 ? "s" : ""}, rope ${ropeText}`;
  };
  search.addEventListener("input", filter);

  // ---- addresses: a pair in a folded part is unfolded
  const unfold = () => {
    const found = byId(decodeURIComponent(location.hash.slice(1)));
    const folded = found && found.closest("details");
    if (folded) folded.open = true;
    if (found && found.matches(".card")) found.focus({ preventScroll: true });
    if (folded) found.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  if (location.hash) unfold();
  for (const cell of all("#overview .cell")) {
    const target = all(`.card[data-i="${cell.dataset.i}"], #pair-table tr[data-i="${cell.dataset.i}"]`)
      .find((element) => element.id);
    cell.addEventListener("click", () => {
      location.hash = target.id;
    });
  }

  // ---- paper shows the appendix
  addEventListener("beforeprint", () => {
    for (const folded of all("#appendix details")) folded.open = true;
  });

  // ---- copy
  const safe = (text) => (/^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text);
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csv = () => {
    const head = all("thead tr:last-child th", table);
    const kept = head.map((_, k) => k).filter((k) => !head[k].classList.contains("barcell"));
    const line = (cells) => kept.map((k) => quoted(safe(cells[k].textContent.trim().replace(/\s+/g, " ")))).join(",");
    return [head, ...[...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells)].map(line).join("\n");
  };
  const texts = {
    csv,
    card: (button) => all(".says, .test, .differ:not([hidden])", button.closest(".card")).map((p) => p.textContent).join(" "),
  };
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  };
  for (const button of all("button.copy")) {
    button.hidden = false;
    const label = button.textContent;
    button.addEventListener("click", async () => {
      const what = button.dataset.copy;
      const done = await copy(texts[what] ? texts[what](button) : byId(what).textContent);
      button.focus();
      button.textContent = done ? "Copied" : "Not copied";
      setTimeout(() => {
        button.textContent = label;
      }, 1500);
    });
  }

  // ---- the rope
  if (!slider) return;
  byId("slider").hidden = false;
  const names = { a: "a_better", b: "b_better", e: "equivalent", u: "undecided" };
  const last = data.texts.length - 1;
  const between = (numbers, size, k, at) => {
    const low = Math.min(Math.floor(at / data.steps), Math.max(numbers.length / size - 2, 0));
    const share = (at - data.steps * low) / data.steps;
    const x = numbers[low * size + k];
    return share ? x + (numbers[(low + 1) * size + k] - x) * share : x;
  };
  const three = (numbers, at) => [0, 1, 2].map((k) => between(numbers, 3, k, at));
  const codeOf = (p) => ["a", "e", "b"].find((_, k) => p[k] >= data.edge - 1e-6) || "u";
  const shown = (x, decimals = data.decimals) => {
    const reaches = x >= data.edge - 1e-6;
    for (let digits = decimals; ; digits += 1) {
      const text = (x / data.unit).toFixed(digits);
      if (Number(text) * data.unit >= data.edge - 1e-6 === reaches || digits > 8) return text;
    }
  };
  const kindOf = (i, at, code) => {
    const low = Math.min(Math.floor(at / data.steps), Math.max(data.kind[i].length - 1, 0));
    const near = [low, low + 1].filter((j) => j < data.kind[i].length);
    const same = near.find((j) => codeOf(three(data.pairs[i], j * data.steps)) === code);
    return same === undefined ? "" : data.kinds[data.kind[i].charCodeAt(same) - 65];
  };
  const nearest = (at, stops) =>
    stops.reduce((best, j, k) => (Math.abs(j * data.steps - at) < Math.abs(stops[best] * data.steps - at) ? k : best), 0);
  const decide = (place, row, code, about) => {
    if (code === "a" || code === "b") {
      const name = document.createElement("bdi");
      name.textContent = all(".name", row)[code === "a" ? 0 : 1].textContent;
      place.replaceChildren(about, name, " better");
    } else {
      place.textContent = (code === "e" ? about : "") + names[code];
    }
  };
  const draw = (rects, p, x, width) => {
    let from = x;
    rects.forEach((rect, k) => {
      const part = (width * p[k]) / data.unit;
      rect.setAttribute("x", from.toFixed(1));
      rect.setAttribute("width", Math.max(0, part).toFixed(1));
      from += part;
    });
  };
  const cards = all(".card");
  const cells = all("#overview .cell").map((cell) => {
    const rects = all("rect", cell);
    const x = Number(rects[0].getAttribute("x"));
    const end = Number(rects[2].getAttribute("x")) + Number(rects[2].getAttribute("width"));
    return { cell, rects, x, width: end - x, text: cell.querySelector("text") };
  });
  const some = `${"every" in table.dataset ? "listed " : ""}pair${rows.length > 1 ? "s" : ""}`;
  const listed = all("#open li");
  const ranked = all("#rank-table tbody tr");
  // Python's own texts at the rope of this report
  const kept = all(
    "#headline, #moved, #undecided, #counts, #overview text, #rank-table .within, .card b, .card .verdict, .card .says, " +
      ".card .differ, #pair-table :is(.p0, .p1, .p2, .shares, .tag, .kind)",
  ).map((element) => [element, [...element.childNodes], element.dataset.v]);
  const restore = () => {
    for (const [element, nodes, sortable] of kept) {
      element.replaceChildren(...nodes);
      if (sortable !== undefined) element.dataset.v = sortable;
    }
  };
  const put = (element, text, sortable) => {
    element.textContent = text;
    if (sortable !== undefined) element.dataset.v = sortable;
  };
  const move = () => {
    const at = Number(slider.value);
    const own = at === data.at;
    ropeText = data.texts[at];
    if (own) restore();
    const p = data.pairs.map((numbers) => three(numbers, at));
    const codes = p.map(codeOf);
    rows.forEach((row, i) => {
      const tag = row.querySelector(".tag");
      tag.className = `tag ${names[codes[i]]}`;
      draw(all("rect", row), p[i], 0, 100);
      if (!own) {
        [0, 1, 2].forEach((k) => put(row.querySelector(`.p${k}`), shown(p[i][k]), p[i][k] / data.unit));
        if (data.shares) {
          const shares = three(data.shares[i], at).map((x) => (x / data.unit).toFixed(3));
          row.querySelector(".shares").textContent = shares.join(" / ");
        }
        decide(tag, row, codes[i], "");
        row.querySelector(".kind").textContent = kindOf(i, at, codes[i]);
      }
      read(i);
    });
    for (const card of cards) {
      const i = Number(card.dataset.i);
      card.className = `card ${names[codes[i]]}`;
      draw(all("rect", card), p[i], 0, 100);
      const differ = card.querySelector(".differ");
      if (!own) {
        [0, 1, 2].forEach((k) => put(card.querySelector(`.p${k}`), shown(p[i][k])));
        decide(card.querySelector(".verdict"), rows[i], codes[i], data.about);
        const [says, other] = data.cards.says[i][nearest(at, data.cards.ropes)];
        put(card.querySelector(".says"), says);
        put(differ, other);
      }
      differ.hidden = !differ.textContent;
    }
    for (const { cell, rects, x, width, text } of cells) {
      const i = Number(cell.dataset.i);
      cell.setAttribute("class", `cell ${names[codes[i]]}`);
      draw(rects, cell.dataset.flip ? [...p[i]].reverse() : p[i], x, width);
      if (text && !own) text.textContent = shown(Math.max(...p[i])).slice(0, 5);
    }
    let room = 12;
    for (const item of listed) {
      item.hidden = codes[Number(item.dataset.i)] !== "u" || room < 1;
      if (!item.hidden) room -= 1;
    }
    const undecided = codes.filter((code) => code === "u").length;
    const equivalent = codes.filter((code) => code === "e").length;
    if (!own) {
      byId("undecided").textContent = undecided
        ? `${undecided} of ${rows.length} ${some} at rope ${ropeText}${undecided > 12 - room ? ", among them:" : "."}`
        : `Nothing at rope ${ropeText}: every listed pair is decided.`;
      byId("counts").textContent = rows.length === 1 ? rows[0].querySelector(".tag").textContent :
        `${rows.length - undecided - equivalent} decided for one model, ${equivalent} equivalent, ${undecided} undecided`;
      const stops = Object.keys(data.headlines).map(Number);
      const stop = stops[nearest(at, stops)];
      if (stops.length) byId("headline").textContent = data.headlines[stop];
      byId("moved").textContent = stops.length
        ? `Headline for rope ${data.texts[stop * data.steps]}, the nearest at which it was computed; the report is for ${data.texts[data.at]}.`
        : `The headline does not depend on the rope; the report is for ${data.texts[data.at]}.`;
      const high = Math.max(1, data.ranked.findIndex((j) => j * data.steps >= at));
      const [from, to] = [data.ranked[high - 1] * data.steps, data.ranked[high] * data.steps];
      data.within.forEach((numbers, i) => {
        const x = numbers[high - 1] + ((numbers[high] - numbers[high - 1]) * (at - from)) / (to - from);
        put(ranked[i].querySelector(".within"), (x / data.unit).toFixed(3), x / data.unit);
      });
    }
    byId("moved").hidden = own;
    if (byId("best")) byId("best").hidden = !own;
    for (const element of all(".rope-text")) element.textContent = ropeText;
    byId("rope-now").textContent = ropeText;
    slider.setAttribute("aria-valuetext", `rope ${ropeText}, ${undecided} of ${rows.length} ${some} undecided`);
    byId("reset").disabled = own;
    byId("back").disabled = !data.ticks.some((x) => x < at);
    byId("forth").disabled = !data.ticks.some((x) => x > at);
    const sorted = table.querySelector('th[aria-sort$="ending"]');
    if (sorted) sortBy(sorted, sorted.getAttribute("aria-sort"));
    filter();
  };
  let waiting = false;
  const later = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      move();
    });
  };
  const go = (at) => {
    if (at === undefined) return;
    slider.value = Math.min(last, Math.max(0, at));
    move();
  };
  const toTick = (forth) => {
    const at = Number(slider.value);
    go(forth ? data.ticks.find((x) => x > at) : data.ticks.findLast((x) => x < at));
  };
  slider.addEventListener("input", later);
  slider.addEventListener("keydown", (event) => {
    if (event.key !== "PageUp" && event.key !== "PageDown") return;
    event.preventDefault();
    toTick(event.key === "PageUp");
  });
  byId("back").addEventListener("click", () => toTick(false));
  byId("forth").addEventListener("click", () => toTick(true));
  byId("reset").addEventListener("click", () => {
    go(data.at);
    slider.focus();
  });
  if (Number(slider.value) === data.at) {
    byId("back").disabled = !data.ticks.some((x) => x < data.at);
    byId("forth").disabled = !data.ticks.some((x) => x > data.at);
  } else move(); // a reloaded page keeps the slider where it was
})();
