"use strict";
(() => {
  // Everything here works on what is in the page already: texts are Python's, nothing is computed.
  const byId = (id) => document.getElementById(id);
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const table = byId("pair-table");
  const rows = [...table.tBodies[0].rows];
  const data = JSON.parse(byId("curves").textContent);
  const slider = byId("rope");
  const search = byId("search");
  let ropeText = data ? data.ropes[data.at] : byId("count").textContent.split("rope ").pop();

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
    for (const other of owner.tHead.rows[0].cells) {
      if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", other === header ? direction : "none");
    }
  };
  for (const button of document.querySelectorAll("button.sort")) {
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

  // ---- the rope
  if (!slider) return;
  byId("rope-help").hidden = false;
  const own = rows.map((row) => [...row.querySelectorAll(".p0, .p1, .p2")].map((cell) => cell.dataset.v));
  const names = { a: "a_better", b: "b_better", e: "equivalent", u: "undecided" };
  const decide = (row, code) => {
    const tag = row.querySelector(".tag");
    tag.className = `tag ${names[code]}`;
    if (code === "a" || code === "b") {
      const name = document.createElement("bdi");
      name.textContent = row.cells[code === "a" ? 0 : 1].textContent;
      tag.replaceChildren(data.about, name, " better");
    } else {
      tag.textContent = (code === "e" ? data.about : "") + names[code];
    }
  };
  const draw = (row, three) => {
    const [a, e, b] = row.querySelectorAll("rect");
    const [x, y, z] = three.map((p) => 100 * parseFloat(p));
    a.setAttribute("width", x);
    e.setAttribute("x", x);
    e.setAttribute("width", y);
    b.setAttribute("x", x + y);
    b.setAttribute("width", z);
  };
  const move = () => {
    const at = Number(slider.value);
    ropeText = data.ropes[at];
    rows.forEach((row, i) => {
      const [probabilities, shares, code, kind] = data.pairs[i][at].split("|");
      const three = probabilities.split(" ");
      three.forEach((text, k) => {
        const cell = row.querySelector(`.p${k}`);
        cell.textContent = text;
        cell.dataset.v = at === data.at ? own[i][k] : text;
      });
      if (shares) row.querySelector(".shares").textContent = shares.split(" ").join(" / ");
      decide(row, code);
      row.querySelector(".kind").textContent = data.kinds[Number(kind)];
      draw(row, three);
      read(i);
    });
    byId("rope-now").textContent = ropeText;
    slider.setAttribute("aria-valuetext", `rope ${ropeText}`);
    byId("reset").disabled = at === data.at;
    const sorted = table.querySelector('th[aria-sort$="ending"]');
    if (sorted) sortBy(sorted, sorted.getAttribute("aria-sort"));
    filter();
  };
  let waiting = false;
  slider.addEventListener("input", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      move();
    });
  });
  byId("reset").addEventListener("click", () => {
    slider.value = data.at;
    move();
    slider.focus();
  });
  if (Number(slider.value) !== data.at) move(); // a reloaded page keeps the slider where it was
})();
