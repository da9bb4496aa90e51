// The value of the mark that is pointed at, touched or reached by arrow keys; the picture and its source as files.
(() => {
  const plot = document.querySelector(".plot"), readout = document.getElementById("readout");
  const marks = [...plot.querySelectorAll('[role="graphics-symbol"][aria-label]')];
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
    if (!step || !marks.length) return;
    show(here < 0 ? 0 : (here + step + marks.length) % marks.length);
    event.preventDefault();
  });
  const source = document.getElementById("source");
  const svg = plot.querySelector("svg");
  const { width, height } = svg.viewBox.baseVal;
  const contents = {
    svg: () => {
      const copy = svg.cloneNode(true);
      copy.setAttribute("width", width);
      copy.setAttribute("height", height);
      return new XMLSerializer().serializeToString(copy);
    },
    "vl.json": () => source.textContent,
  };
  for (const button of document.querySelectorAll(".save button")) {
    button.addEventListener("click", () => {
      const kind = button.dataset.as;
      const url = URL.createObjectURL(new Blob([contents[kind]()]));
      Object.assign(document.createElement("a"), { href: url, download: `${source.dataset.file}.${kind}` }).click();
      URL.revokeObjectURL(url);
    });
  }
  document.querySelector(".save").hidden = false;
})();
