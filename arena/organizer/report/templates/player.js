"use strict";
// Shows the table at one line of the game at a time. Texts reach the page as text only, never as markup.
(() => {
  const find = (id) => document.getElementById(id);
  const rows = Array.from(document.querySelectorAll("#lines tbody tr"));
  const cells = Array.from(document.querySelectorAll("#player .cards"));
  const slider = find("slider");
  let at = 0;
  let timer = null;
  // A step has only what has changed: h hands by number, t other rows of the table by label, o the order of those rows.
  let seen = { hands: {}, table: {}, order: [] };
  const changes = JSON.parse(find("data").textContent);
  const dealt = changes.findIndex((step, index) => index > 0 && step.h);
  const steps = changes.map((step) => {
    seen = { hands: { ...seen.hands, ...step.h }, table: { ...seen.table, ...step.t }, order: step.o || seen.order };
    return seen;
  });
  const caught = Array.from(document.querySelectorAll("#caught a"), (link) => rowOf(link.hash));
  const isCaught = (row) => caught.includes(row);
  const isMarked = (row) => ["L", "C", "X"].some((mark) => row.classList.contains(mark));
  const isMove = (row) => row.classList.contains("move");

  function rowOf(hash) {
    return rows.find((row) => row.id !== "" && `#${row.id}` === hash);
  }

  function fillTable(step) {
    const list = find("table");
    list.replaceChildren();
    for (const label of step.order) {
      const term = document.createElement("dt");
      const words = document.createElement("dd");
      term.textContent = label;
      words.textContent = step.table[label];
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
    const mark = row.cells[2].textContent;
    const time = row.cells[1].textContent;
    find("now").textContent = `${time} s  ${row.cells[3].firstChild.textContent.trim()}${mark ? ` (${mark})` : ""}`;
    cells.forEach((cell, seat) => {
      cell.textContent = step.hands[seat] || "";
    });
    fillTable(step);
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
    c: () => caught.length && seek(1, isCaught),
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
  for (const [id, action] of [["marked", actions.m], ["lie", actions.c]]) {
    if (find(id)) find(id).addEventListener("click", action);
  }
  find("speed").addEventListener("change", () => {
    if (timer !== null) {
      pause();
      play();
    }
  });
  slider.addEventListener("input", () => go(Number(slider.value)));
  rows.forEach((row, index) => row.addEventListener("click", () => go(index)));
  // A link to a turn, on this page or from another one, shows the table at that turn.
  function showLinked() {
    const row = rowOf(location.hash);
    if (row) go(rows.indexOf(row));
    return Boolean(row);
  }
  window.addEventListener("hashchange", showLinked);
  find("caught")?.addEventListener("click", (event) => {
    const row = event.target.closest("a") && rowOf(event.target.closest("a").hash);
    if (row) go(rows.indexOf(row));
  });
  find("lines").classList.add("steps");
  find("player").hidden = false;
  // Nobody has cards when a game begins, so the page opens on the line where they are dealt.
  if (!showLinked()) show(Math.max(0, dealt));
})();
