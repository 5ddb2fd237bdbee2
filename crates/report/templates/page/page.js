
"use strict";
(() => {
  // Of a long table the first rows are shown until all are asked for, so that it stays quick.
  const FIRST = 200;
  const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
  const count = (number) => number.toLocaleString("en");
  const words = (cell) => (cell.firstElementChild ?? cell).textContent;

  // What is not known stands last whichever way is up; two currencies are never compared.
  const byNumber = (down) => (a, b) => {
    if (a.empty || b.empty) return a.empty - b.empty;
    const units = a.unit < b.unit ? -1 : Number(a.unit > b.unit);
    return units || (down ? b.number - a.number : a.number - b.number);
  };
  const byText = (down) => (a, b) => {
    const texts = collator.compare(a.text, b.text);
    return down ? -texts : texts;
  };
  const key = (row, column) => {
    const cell = row.cells[column];
    const { v, u = "" } = cell.dataset;
    return { row, empty: v === undefined, number: Number(v), unit: u, text: words(cell) };
  };

  const sorts = (table) => {
    const titles = [...table.tHead.rows[0].cells];
    const body = table.tBodies[0];
    titles.forEach((title, column) => {
      if (title.dataset.sort === undefined) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...title.childNodes);
      title.append(button);
      button.addEventListener("click", () => {
        const keys = [...body.rows].map((row) => key(row, column));
        const numeric = keys.some((key) => !key.empty);
        const now = title.getAttribute("aria-sort");
        const down = now ? now === "ascending" : numeric;
        titles.forEach((other) => other.removeAttribute("aria-sort"));
        title.setAttribute("aria-sort", down ? "descending" : "ascending");
        keys.sort(numeric ? byNumber(down) : byText(down));
        // Without the blanks between the rows, which make moving thousands of them slow.
        body.replaceChildren(...keys.map((key) => key.row));
        table.dispatchEvent(new Event("sorted"));
      });
    });
  };

  const filters = (filter) => {
    const table = document.getElementById(filter.dataset.for);
    const body = table.tBodies[0];
    const [input, select, output, all] = filter.querySelectorAll("input, select, output, button");
    const texts = new Map();
    const text = (row) => {
      if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
      return texts.get(row);
    };
    let most = FIRST;
    const apply = () => {
      const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let fitting = 0;
      const rows = [...body.rows];
      for (const row of rows) {
        const fits = (!select.value || row.dataset.verdict === select.value)
          && wanted.every((word) => text(row).includes(word));
        fitting += fits;
        row.hidden = !fits || fitting > most;
      }
      const shown = Math.min(fitting, most);
      const chosen =
        fitting < rows.length ? `, ${count(fitting)} of ${count(rows.length)} chosen` : "";
      output.textContent = `${count(shown)} of ${count(fitting)} shown${chosen}`;
      all.hidden = shown === fitting;
    };
    input.addEventListener("input", apply);
    select.addEventListener("change", apply);
    table.addEventListener("sorted", apply);
    all.addEventListener("click", () => {
      most = Infinity;
      apply();
      input.focus();
    });
    filter.hidden = false;
    apply();
  };

  const page = document.documentElement.classList;
  page.add("script", "early");
  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("table[data-sorts]").forEach(sorts);
    document.querySelectorAll(".filter").forEach(filters);
    page.remove("early");
  });
})();
