// Tables sorted by a click on a head.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  table.querySelectorAll("th button").forEach((button, column) => button.addEventListener("click", () => {
    const head = button.parentElement, up = head.getAttribute("aria-sort") !== "ascending", sign = up ? 1 : -1;
    const value = row => row.cells[column].textContent, isNumber = head.classList.contains("n");
    const compare = (a, b) => isNumber ? (parseFloat(a) - parseFloat(b) || 0) : a.localeCompare(b);
    const rows = [...body.rows].map(row => [value(row), row]);
    rows.sort(([a], [b]) => (a === "") - (b === "") || sign * compare(a, b));
    table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    body.append(...rows.map(([, row]) => row));
  }));
}
