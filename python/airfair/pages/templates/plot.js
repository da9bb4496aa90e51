{% include "marks.js" %}
// The picture and its source as files.
(() => {
  const source = document.getElementById("source");
  const svg = document.querySelector(".plot svg");
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
