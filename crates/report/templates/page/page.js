
"use strict";
(() => {
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const count = (number) => number.toLocaleString("en");
  const empty = (cell) => cell.dataset.v === undefined;
  const words = (cell) => (cell.firstElementChild ?? cell).textContent;

  // What is not known stands last whichever way is up; two currencies are never compared.
  const byNumber = (column, down) => (a, b) => {
    const [left, right] = [a.cells[column], b.cells[column]];
    if (empty(left) || empty(right)) return empty(left) - empty(right);
    const units = collator.compare(left.dataset.u ?? "", right.dataset.u ?? "");
    const numbers = Number(left.dataset.v) - Number(right.dataset.v);
    return units || (down ? -numbers : numbers);
  };
  const byText = (column, down) => (a, b) => {
    const texts = collator.compare(words(a.cells[column]), words(b.cells[column]));
    return down ? -texts : texts;
  };

  for (const table of document.querySelectorAll("table[data-sorts]")) {
    const titles = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    titles.forEach((title, column) => {
      if (title.dataset.sort === undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...title.childNodes);
      title.append(button);
      const numeric = [...body.rows].some((row) => !empty(row.cells[column]));
      button.addEventListener("click", () => {
        const now = title.getAttribute("aria-sort");
        const down = now ? now === "ascending" : numeric;
        titles.forEach((other) => other.removeAttribute("aria-sort"));
        title.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = numeric ? byNumber(column, down) : byText(column, down);
        body.append(...[...body.rows].sort(order));
      });
    });
  }

  for (const filter of document.querySelectorAll(".filter")) {
    const rows = [...document.getElementById(filter.dataset.for).tBodies[0].rows];
    const texts = new Map();
    const [input, select, output] = filter.querySelectorAll("input, select, output");
    const text = (row) => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
      return texts.get(row);
    };
    const apply = () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const fits = (!select.value || row.dataset.verdict === select.value)
          && wanted.every((word) => text(row).includes(word));
        row.hidden = !fits;
        shown += fits;
      }
      output.textContent = `${count(shown)} of ${count(rows.length)} shown`;
    };
    input.addEventListener("input", apply);
    select.addEventListener("change", apply);
    filter.hidden = false;
    apply();
  }
})();
