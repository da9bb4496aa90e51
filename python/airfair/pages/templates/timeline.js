// A line through all panels at the pointer, the finger or the slider's time, and the values there.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const readout = document.getElementById("readout");
  const pictures = [...document.querySelectorAll(".plot svg")].map((svg) => {
    const axes = [...svg.querySelectorAll(".axis")].map((axis) => {
      const { left, right, top, bottom } = axis.dataset;
      const line = document.createElementNS("http://www.w3.org/2000/svg", "line");
      line.setAttribute("class", "cursor");
      line.setAttribute("y1", top);
      line.setAttribute("y2", bottom);
      line.style.display = "none";
      svg.append(line);
      return { left: +left, right: +right, top: +top, bottom: +bottom, line };
    });
    return { svg, axes };
  });
  const at = (series, time) => {
    let low = 0, high = series.time.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (series.time[middle] <= time) low = middle + 1; else high = middle;
    }
    return low ? series.value[low - 1] : null;
  };
  const add = (parent, tag, text) => parent.append(Object.assign(document.createElement(tag), { textContent: text }));
  const row = (parent, name, text) => {
    const line = document.createElement("div");
    add(line, "span", `${name} `);
    line.append(text);
    parent.append(line);
  };
  const tell = (parent, run, time) => {
    add(parent, "b", `${time.toFixed(4)} s${run.title ? `, ${run.title}` : ""}`);
    for (const queue of run.queues) row(parent, `queue of ${queue.name}`, `${at(queue, time) ?? 0} packets`);
    for (const { bin, lanes } of run.air) {
      const index = Math.min(Math.floor((time - data.from) / bin), lanes[0].bins.length - 1);
      const busy = lanes.filter(({ bins }) => bins[index] > 0.005).sort((a, b) => b.bins[index] - a.bins[index]);
      const names = busy.slice(0, 8).map(({ name, bins }) => `${name} ${Math.round(100 * bins[index])} %`);
      if (busy.length > names.length) names.push(`and ${busy.length - names.length} more`);
      row(parent, `on the air in ${+(1000 * bin).toPrecision(2)} ms`, names.join(", ") || "nobody");
    }
    const windows = run.windows.map((window) => [window.name, at(window, time)]).filter(([, value]) => value !== null);
    if (windows.length) {
      const shown = windows.sort(([, a], [, b]) => b - a).slice(0, 16);
      const more = windows.length > shown.length ? `, and ${windows.length - shown.length} more` : "";
      row(parent, "windows in segments", shown.map(([name, value]) => `${name} ${+value.toFixed(2)}`).join(", ") + more);
    }
  };
  const mark = (share) => {
    for (const { left, right, line } of pictures.flatMap(({ axes }) => axes)) {
      line.setAttribute("x1", left + share * (right - left));
      line.setAttribute("x2", left + share * (right - left));
      line.style.display = "";
    }
  };
  const hide = () => {
    readout.hidden = true;
    pictures.forEach(({ axes }) => axes.forEach(({ line }) => { line.style.display = "none"; }));
  };
  for (const { svg, axes } of pictures) {
    const follow = (event) => {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const column = axes.findIndex((axis) => x >= axis.left && x <= axis.right && y >= axis.top && y <= axis.bottom);
      if (column < 0) return hide();
      const share = (x - axes[column].left) / (axes[column].right - axes[column].left);
      mark(share);
      readout.replaceChildren();
      tell(readout, data.runs[column], data.from + share * (data.to - data.from));
      readout.hidden = false;
      const beside = event.clientX + 16 + readout.offsetWidth < innerWidth;
      const left = event.clientX + (beside ? 16 : -16 - readout.offsetWidth);
      readout.style.left = `${Math.max(8, Math.min(left, innerWidth - readout.offsetWidth - 8))}px`;
      readout.style.top = `${Math.max(8, Math.min(event.clientY + 16, innerHeight - readout.offsetHeight - 8))}px`;
    };
    // Lifting a finger ends a touch; keep the values shown.
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointermove", follow);
  }
  const slider = document.getElementById("time"), values = document.getElementById("values");
  slider.addEventListener("input", () => {
    const share = slider.value / slider.max, time = data.from + share * (data.to - data.from);
    hide();
    mark(share);
    document.querySelector("output").textContent = `${time.toFixed(4)} s`;
    slider.setAttribute("aria-valuetext", `${time.toFixed(4)} s`);
    values.replaceChildren();
    for (const run of data.runs) tell(values, run, time);
  });
  document.querySelector(".at").hidden = false;
})();
