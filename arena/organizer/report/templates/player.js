"use strict";
// Draws the table at one line of the game at a time. Texts reach the page as text only, never as markup.
(() => {
  const find = (id) => document.getElementById(id);
  const lines = find("lines");
  const rows = Array.from(lines.tBodies[0].rows);
  const slider = find("slider");
  const places = Array.from(document.querySelectorAll("#player .place")).sort((a, b) => a.dataset.seat - b.dataset.seat);
  const { faces, steps } = JSON.parse(find("data").textContent);
  const MOST_CARDS = 60;
  const MOST_IN_GROUP = 12;
  const MOST_GROUPS = 24;
  const LISTED = 100;
  const MOST_MOVED = 8;
  const box = find("moves");
  let at = 0;
  let [first, end] = [0, rows.length];
  let timer = null;

  // ---- the table at each line. A step has what has changed: h hands and s notes by seat, t other rows, o their order.
  // A card that only its owner knows begins with ~.

  const orders = new Map(faces.map(([card], index) => [card, index]));
  const nameOf = (card) => card.replace("~", "");
  const orderOf = (card) => orders.get(nameOf(card)) ?? -1;
  const readCount = (text) => (text === "?" ? null : Number(text));

  function readCards(words, { cards, backs } = { cards: [], backs: 0 }) {
    const held = [...cards];
    let hidden = backs;
    for (const word of words.split(" ").filter(Boolean)) {
      const rest = word.slice(1);
      if (word[0] === "=") hidden = readCount(rest);
      else if (word[0] === "+") held.push(rest);
      else held.splice(held.indexOf(rest), 1);
    }
    return { cards: held.sort((a, b) => orderOf(a) - orderOf(b)), backs: hidden };
  }

  function readRow([text, kept, added, dice], before) {
    const groups = added.map(([owner, claim, isLie, words]) => ({ owner, claim, isLie, ...readCards(words) }));
    return { text, dice, groups: [...(before?.groups ?? []).slice(0, kept), ...groups] };
  }

  function change(list, changes, read) {
    if (changes === undefined) return list;
    const changed = [...list];
    for (const [index, value] of Object.entries(changes)) changed[index] = read(value, changed[index]);
    return changed;
  }

  function follow(table, step) {
    const others = new Map(step.t ? table.rows : []);
    for (const [label, row] of step.t ?? []) others.set(label, readRow(row, others.get(label)));
    return {
      hands: change(table.hands, step.h, readCards),
      notes: change(table.notes, step.s, (value) => value),
      rows: step.t ? others : table.rows,
      order: step.o ?? table.order,
    };
  }

  const nothing = { hands: places.map(() => readCards("")), notes: places.map(() => [0, 0, ""]), rows: new Map(), order: [] };
  const tables = [];
  for (const step of steps) tables.push(follow(tables.at(-1) ?? nothing, step));

  // ---- drawing

  function build(kind, name, ...content) {
    const built = document.createElement(kind);
    built.className = name;
    built.append(...content);
    return built;
  }

  const drawnFaces = new Map(faces.map(([card, title, symbol, colour]) => [
    card,
    build("b", `card ${colour}${title.length > 2 ? " word" : ""}`, build("span", "", title), build("span", "", symbol)),
  ]));
  const unknownFace = (card) => build("b", "card", build("span", "", card));
  const eye = () => (find("eye")?.value ? Number(find("eye").value) : null);

  function drawCard(card, isUnseen) {
    const drawn = (drawnFaces.get(nameOf(card)) ?? unknownFace(nameOf(card))).cloneNode(true);
    drawn.dataset.card = card;
    if (isUnseen) drawn.classList.add("unseen");
    return drawn;
  }

  function drawCards({ cards, backs }, owner, most) {
    const seer = eye();
    const shown = cards.slice(0, most).map((card) => drawCard(card, card[0] === "~" && seer !== null && seer !== owner));
    const hidden = Array.from({ length: Math.min(backs ?? 1, most) }, () => build("i", ""));
    return [...shown, ...hidden];
  }

  const countOf = ({ cards, backs }) => cards.length + (backs ?? 0);
  const wordsOf = ({ cards, backs }) => [...cards.map(nameOf), backs === null ? "? cards" : backs ? `${backs} face down` : ""].join(" ").trim();

  function fillHand(place, hand, seat) {
    const holder = place.querySelector(".hand");
    holder.replaceChildren(...drawCards(hand, seat, MOST_CARDS));
    holder.setAttribute("aria-label", wordsOf(hand) || "no cards");
    const count = countOf(hand);
    place.querySelector(".holds").textContent = hand.backs === null ? "? cards" : count === 1 ? "1 card" : `${count} cards`;
  }

  function fillNotes(place, [standing, isAsked, turn, ...badges]) {
    place.classList.toggle("asked", Boolean(isAsked));
    place.classList.toggle("out", standing > 0);
    const texts = [...(standing ? [[`place ${standing}`, ""]] : []), ...(turn ? [[turn, " turn"]] : []), ...badges.map((text) => [text, ""])];
    place.querySelector(".badges").replaceChildren(...texts.map(([text, kind]) => build("span", `badge${kind}`, text)));
  }

  function drawGroup(group) {
    const holder = build("span", "hand", ...drawCards(group, group.owner, MOST_IN_GROUP));
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", wordsOf(group));
    return build("span", `layer${group.isLie ? " lie" : ""}`, holder, ...(group.claim ? [build("small", "", group.claim)] : []));
  }

  function drawRow(label, { text, groups, dice }) {
    const layers = groups.length ? [build("span", "layers", ...groups.slice(-MOST_GROUPS).map(drawGroup))] : [];
    const row = build("div", "", build("dt", "", label), build("dd", "", ...dice.map((eyes) => build("span", `die d${eyes}`)), ...layers, text));
    row.dataset.label = label;
    return row;
  }

  function fillRows(before, now) {
    const list = find("table");
    const old = new Map(Array.from(list.children, (row) => [row.dataset.label, row]));
    const isKept = (label) => old.has(label) && before?.rows.get(label) === now.rows.get(label);
    list.replaceChildren(...now.order.map((label) => (isKept(label) ? old.get(label) : drawRow(label, now.rows.get(label)))));
  }

  function draw(before, now) {
    places.forEach((place, seat) => {
      if (before?.hands[seat] !== now.hands[seat]) fillHand(place, now.hands[seat], seat);
      if (before?.notes[seat] !== now.notes[seat]) fillNotes(place, now.notes[seat]);
    });
    if (before?.rows !== now.rows || before?.order !== now.order) fillRows(before, now);
  }

  // ---- motion: cards that a hand or a row has gained come from where most were lost

  const centreOf = (box) => [box.left + box.width / 2, box.top + box.height / 2];

  function holdersOf(before, now) {
    const rowsNow = now.order.filter((label) => before.rows.get(label) !== now.rows.get(label));
    const sum = (row) => (row?.groups ?? []).reduce((total, group) => total + countOf(group), 0);
    return [
      ...places.map((place, seat) => ({
        find: () => place.querySelector(".hand"), old: before.hands[seat].cards, gain: countOf(now.hands[seat]) - countOf(before.hands[seat]),
      })),
      ...rowsNow.map((label) => ({
        find: () => Array.from(find("table").children).find((row) => row.dataset.label === label) ?? find("table"),
        old: (before.rows.get(label)?.groups ?? []).flatMap((group) => group.cards),
        gain: sum(now.rows.get(label)) - sum(before.rows.get(label)),
      })),
    ];
  }

  function newCards(holder) {
    const left = [...holder.old];
    const faceUp = Array.from(holder.find().querySelectorAll(".card")).filter((card) => {
      const index = left.indexOf(card.dataset.card);
      if (index >= 0) left.splice(index, 1);
      return index < 0;
    });
    return faceUp.length ? faceUp : Array.from(holder.find().querySelectorAll("i")).slice(-holder.gain);
  }

  function move(before, now, duration) {
    const holders = holdersOf(before, now);
    const giver = holders.reduce((most, each) => (each.gain < (most?.gain ?? 0) ? each : most), null);
    const [x, y] = centreOf((giver?.find() ?? find("table")).getBoundingClientRect());
    draw(before, now);
    const moved = holders.filter((each) => each.gain > 0).flatMap(newCards);
    const ends = moved.map((card) => centreOf(card.getBoundingClientRect()));
    moved.forEach((card, index) => {
      const [left, top] = ends[index];
      const keyframes = [{ transform: `translate(${x - left}px, ${y - top}px)`, zIndex: 1 }, { transform: "none", zIndex: 1 }];
      card.animate(keyframes, { duration, easing: "ease-out" });
    });
  }

  // ---- the line that is shown

  const rowOf = (hash) => rows.find((row) => row.id !== "" && `#${row.id}` === hash);
  const hasMark = (row, ...marks) => marks.some((mark) => row.classList.contains(mark));
  const isMove = (row) => row.classList.contains("move");
  const isLie = (row) => hasMark(row, "L");
  const isCall = (row) => hasMark(row, "C", "X");
  const speed = () => Number(find("speed").value);

  function tell(row) {
    const mark = row.cells[2].textContent;
    find("now").textContent = `${row.cells[1].textContent} s  ${row.cells[3].firstChild.textContent.trim()}${mark ? ` (${mark})` : ""}`;
    find("now").className = `told-now ${row.className}`;
  }

  // Of a long game, only the lines around the shown one are in the page: the others would make each step slow.
  function listLines(from, to) {
    [first, end] = [Math.max(0, from), Math.min(rows.length, to)];
    lines.tBodies[0].replaceChildren(...rows.slice(first, end));
  }

  function listMore() {
    const height = box.scrollHeight;
    if (box.scrollTop < box.clientHeight / 2 && first > 0) {
      listLines(first - LISTED, end);
      box.scrollTop += box.scrollHeight - height;
    } else if (box.scrollTop > height - 1.5 * box.clientHeight && end < rows.length) listLines(first, end + LISTED);
  }

  function scrollTo(index) {
    const isListed = index >= first && index < end;
    if (!isListed || end - first > 2 * LISTED) listLines(index - LISTED / 2, index + LISTED / 2);
    const top = rows[index].offsetTop;
    const isSeen = top > box.scrollTop + 60 && top < box.scrollTop + box.clientHeight - 60;
    if (!isSeen) box.scrollTop = top - box.clientHeight / 2;
  }

  function show(index) {
    const before = at;
    rows[at].classList.remove("now");
    at = Math.max(0, Math.min(rows.length - 1, index));
    rows[at].classList.add("now");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `line ${at + 1} of ${rows.length}`);
    tell(rows[at]);
    if (find("motion").checked && at !== before && Math.abs(at - before) <= MOST_MOVED) move(tables[before], tables[at], Math.min(280, 700 / speed()));
    else if (at !== before) draw(tables[before], tables[at]);
    scrollTo(at);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    find("play").textContent = "Play";
  }

  function play() {
    if (at === rows.length - 1) show(0);
    timer = setInterval(() => (at < rows.length - 1 ? show(at + 1) : pause()), 1000 / speed());
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

  // ---- what the reader does

  const actions = {
    ArrowLeft: () => go(at - 1),
    ArrowRight: () => go(at + 1),
    ArrowUp: () => seek(-1, isMove),
    ArrowDown: () => seek(1, isMove),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    l: () => seek(1, isLie),
    L: () => seek(-1, isLie),
    c: () => seek(1, isCall),
    C: () => seek(-1, isCall),
    " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    const action = actions[event.key];
    const isTaken = event.key === " " ? event.target.closest("button, select, input[type=checkbox]") : event.target.closest("select");
    if (!action || isTaken || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  });
  for (const [id, action] of Object.entries({
    first: actions.Home, back: actions.ArrowLeft, play: toggle, next: actions.ArrowRight, last: actions.End, lie: actions.l, call: actions.c,
  })) {
    find(id)?.addEventListener("click", action);
  }
  find("speed").addEventListener("change", () => {
    if (timer !== null) {
      pause();
      play();
    }
  });
  find("eye")?.addEventListener("change", () => draw(null, tables[at]));
  box.addEventListener("scroll", listMore);
  addEventListener("beforeprint", () => listLines(0, rows.length));
  slider.addEventListener("input", () => go(Number(slider.value)));
  lines.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) go(rows.indexOf(row));
  });
  // A link to a turn, on this page or from another one, shows the table at that turn.
  function showLinked() {
    const row = rowOf(location.hash);
    if (row) {
      go(rows.indexOf(row));
      find("replay").scrollIntoView();
    }
    return Boolean(row);
  }
  window.addEventListener("hashchange", showLinked);
  window.addEventListener("load", () => setTimeout(showLinked)); // the browser has scrolled to the line meanwhile
  find("caught")?.addEventListener("click", (event) => {
    const row = event.target.closest("a") && rowOf(event.target.closest("a").hash);
    if (row) go(rows.indexOf(row));
  });
  for (const index of rows.keys()) {
    const kind = isLie(rows[index]) ? "lie" : isCall(rows[index]) ? "call" : "";
    if (!kind) continue;
    const mark = build("i", kind);
    mark.style.left = `${(100 * index) / Math.max(1, rows.length - 1)}%`;
    find("marks").append(mark);
  }
  find("replay").classList.add("steps");
  find("player").hidden = false;
  draw(null, tables[0]);
  show(0);
  // Nobody has cards when a game begins, so the page opens on the line where they are dealt.
  if (!showLinked()) show(Math.max(0, steps.findIndex((step, index) => index > 0 && step.h)));
  find("motion").checked = !matchMedia("(prefers-reduced-motion: reduce)").matches;
})();
