"use strict";
// Shows the table at one line of the game at a time. Texts reach the page as text only, never as markup.
(() => {
  const find = (id) => document.getElementById(id);
  const steps = JSON.parse(find("data").textContent).steps;
  const rows = Array.from(document.querySelectorAll("#lines tr[data-step]"));
  const cells = Array.from(document.querySelectorAll("#player .cards"));
  const slider = find("slider");
  let at = 0;
  let timer = null;
  for (let index = 1; index < steps.length; index += 1) {
    steps[index].hands = steps[index].hands || steps[index - 1].hands;
    steps[index].table = steps[index].table || steps[index - 1].table;
  }
  const isMarked = (row) => ["L", "C", "X"].some((mark) => row.classList.contains(mark));
  const isMove = (row) => row.id !== "";

  function fillTable(table) {
    const list = find("table");
    list.replaceChildren();
    for (const [label, text] of table || []) {
      const term = document.createElement("dt");
      const words = document.createElement("dd");
      term.textContent = label;
      words.textContent = text;
      list.append(term, words);
    }
  }

  function show(index) {
    rows[at].classList.remove("now");
    at = Math.max(0, Math.min(rows.length - 1, index));
    const row = rows[at];
    const step = steps[at];
    row.classList.add("now");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `line ${at + 1} of ${rows.length}`);
    const mark = row.querySelector(".mark").textContent;
    const time = row.cells[1].textContent;
    find("now").textContent = `${time} s  ${row.querySelector(".text").firstChild.textContent.trim()}${mark ? ` (${mark})` : ""}`;
    cells.forEach((cell, seat) => {
      cell.textContent = (step.hands || [])[seat] || "";
    });
    fillTable(step.table);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    find("play").textContent = "Play";
  }

  function play() {
    if (at === rows.length - 1) show(0);
    timer = setInterval(() => (at < rows.length - 1 ? show(at + 1) : pause()), 1000 / Number(find("speed").value));
    find("play").textContent = "Pause";
  }

  const toggle = () => (timer === null ? play() : pause());

  function go(index) {
    pause();
    show(index);
  }

  function seek(direction, wanted) {
    let index = at + direction;
    while (index > 0 && index < rows.length - 1 && !wanted(rows[index])) index += direction;
    go(index);
  }

  const actions = {
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    ArrowUp: () => seek(-1, isMove),
    ArrowDown: () => seek(1, isMove),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    m: () => seek(1, isMarked),
    " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    const isTaken = event.key === " " ? event.target.closest("button, select") : event.target.closest("select");
    if (!action || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  find("first").addEventListener("click", actions.Home);
  find("back").addEventListener("click", actions.ArrowLeft);
  find("play").addEventListener("click", toggle);
  find("next").addEventListener("click", actions.ArrowRight);
  find("last").addEventListener("click", actions.End);
  find("marked").addEventListener("click", actions.m);
  find("speed").addEventListener("change", () => {
    if (timer !== null) {
      pause();
      play();
    }
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  rows.forEach((row, index) => row.addEventListener("click", () => go(index)));
  find("player").hidden = false;
  show(0);
})();
