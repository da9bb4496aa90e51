// Links to a claim open it: its numbers are folded up.
const unfold = () => {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.tagName === "DETAILS") target.open = true;
};
addEventListener("hashchange", unfold);
unfold();
// The value of the mark that is pointed at, touched or reached by arrow keys, below each figure.
for (const plot of document.querySelectorAll("figure > .plot")) {
  const readout = plot.parentElement.querySelector(".readout");
  const marks = [...plot.querySelectorAll('[role="graphics-symbol"][aria-label]')];
  if (!readout || !marks.length) continue;
  let here = -1;
  const show = (place) => {
    marks[here]?.classList.remove("here");
    here = place;
    marks[here]?.classList.add("here");
    readout.textContent = marks[here]?.getAttribute("aria-label") ?? "";
  };
  const find = (event) => marks.indexOf(event.target.closest("[aria-label]"));
  for (const kind of ["pointerover", "pointerdown"]) {
    plot.addEventListener(kind, (event) => { if (find(event) >= 0) show(find(event)); });
  }
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  plot.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step) return;
    show(here < 0 ? 0 : (here + step + marks.length) % marks.length);
    event.preventDefault();
  });
}
