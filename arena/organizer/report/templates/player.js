"use strict";
// Draws the table at one line of the game at a time. Texts reach the page as text only, never as markup.
(() => {
  const find = (id) => document.getElementById(id);
  const lines = find("lines");
  const rows = Array.from(lines.querySelectorAll("tbody tr"));
  const slider = find("slider");
  const places = Array.from(document.querySelectorAll("#player .place")).sort((a, b) => a.dataset.seat - b.dataset.seat);
  const { faces, steps } = JSON.parse(find("data").textContent);
  const MOST_CARDS = 60;
  const MOST_IN_GROUP = 12;
  const MOST_GROUPS = 24;
  const MOST_MOVED = 8;
  const box = find("moves");
  let at = 0;
  let near = [];
  let timer = null;

  // ---- the table at each line. A step has what has changed: h hands and s notes by seat, t other rows, o their order.
  // A card that only its owner knows begins with ~.

  const nameOf = (card) => card.replace("~", "");
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
    return { cards: held, backs: hidden };
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

  // ---- drawing. What stays in its place keeps its nodes, so a step lays out only what is new.

  const keyOf = new WeakMap();

  // Let a holder have a node for each key, in this order, and return those that `make` has made.
  function keep(holder, keys, make) {
    const spare = new Map(keys.map((key) => [key, []]));
    for (const node of [...holder.children]) spare.get(keyOf.get(node))?.push(node) ?? node.remove();
    const made = [];
    const nodes = keys.map((key) => {
      const kept = spare.get(key).shift();
      if (kept) return kept;
      const node = make(key);
      keyOf.set(node, key);
      made.push(node);
      return node;
    });
    for (const node of [...spare.values()].flat()) node.remove();
    let next = holder.firstChild;
    for (const node of nodes) {
      if (node === next) next = next.nextSibling;
      else holder.insertBefore(node, next);
    }
    return made;
  }

  function build(kind, name, ...content) {
    const built = document.createElement(kind);
    built.className = name;
    built.append(...content);
    return built;
  }

  const orders = new Map(faces.map(([card], index) => [card, index]));
  const orderOf = (card) => orders.get(nameOf(card)) ?? -1;
  const sort = (cards) => [...cards].sort((a, b) => orderOf(a) - orderOf(b));
  const drawnFaces = new Map(faces.map(([card, title, symbol, colour]) => [
    card,
    build("b", `card ${colour}${title.length > 2 ? " word" : ""}`, build("span", "", title), build("span", "", symbol)),
  ]));
  const unknownFace = (card) => build("b", "card", build("span", "", card));
  const eye = () => (find("eye")?.value ? Number(find("eye").value) : null);
  const BACK = "";

  const drawCard = (card) => (card === BACK ? build("i", "") : (drawnFaces.get(nameOf(card)) ?? unknownFace(nameOf(card))).cloneNode(true));

  function fillCards(holder, { cards, backs }, owner, most) {
    const seer = eye();
    const shown = sort(cards).slice(0, most);
    const made = keep(holder, [...shown, ...Array(Math.min(backs ?? 1, most)).fill(BACK)], drawCard);
    shown.forEach((card, index) => holder.children[index].classList.toggle("unseen", card[0] === "~" && seer !== null && seer !== owner));
    holder.setAttribute("aria-label", wordsOf({ cards, backs }) || "no cards");
    return made;
  }

  const countOf = ({ cards, backs }) => cards.length + (backs ?? 0);
  const wordsOf = ({ cards, backs }) => [...sort(cards).map(nameOf), backs === null ? "? cards" : backs ? `${backs} face down` : ""].join(" ").trim();

  function fillHand(place, hand, seat) {
    const count = countOf(hand);
    place.querySelector(".holds").textContent = hand.backs === null ? "? cards" : count === 1 ? "1 card" : `${count} cards`;
    return fillCards(place.querySelector(".hand"), hand, seat, MOST_CARDS);
  }

  function fillNotes(place, [standing, isAsked, turn, ...badges]) {
    place.classList.toggle("asked", Boolean(isAsked));
    place.classList.toggle("out", standing > 0);
    const texts = [...(standing ? [[`place ${standing}`, ""]] : []), ...(turn ? [[turn, " turn"]] : []), ...badges.map((text) => [text, ""])];
    place.querySelector(".badges").replaceChildren(...texts.map(([text, kind]) => build("span", `badge${kind}`, text)));
  }

  function drawGroup(group) {
    const holder = build("span", "hand");
    holder.setAttribute("role", "img");
    fillCards(holder, group, group.owner, MOST_IN_GROUP);
    return build("span", `layer${group.isLie ? " lie" : ""}`, holder, ...(group.claim ? [build("small", "", group.claim)] : []));
  }

  const drawRow = (label) => build("div", "", build("dt", "", label), build("dd", "", build("span", ""), build("span", "layers"), ""));

  function fillRow(row, { text, groups, dice }) {
    const [eyes, layers, words] = row.lastChild.childNodes;
    keep(eyes, dice, (number) => build("span", `die d${number}`));
    words.data = text;
    return keep(layers, groups.slice(-MOST_GROUPS), drawGroup).flatMap((layer) => [...layer.querySelector(".hand").children]);
  }

  const rowOf = (label) => Array.from(find("table").children).find((row) => keyOf.get(row) === label);

  // Draw a table in place of the one before, and return the nodes of new cards, by seat or by label.
  function draw(before, now) {
    const made = new Map();
    places.forEach((place, seat) => {
      if (before?.hands[seat] !== now.hands[seat]) made.set(seat, fillHand(place, now.hands[seat], seat));
      if (before?.notes[seat] !== now.notes[seat]) fillNotes(place, now.notes[seat]);
    });
    if (before?.order !== now.order) keep(find("table"), now.order, drawRow);
    for (const label of now.order) {
      if (before?.rows.get(label) !== now.rows.get(label)) made.set(label, fillRow(rowOf(label), now.rows.get(label)));
    }
    return made;
  }

  function redraw() {
    find("table").replaceChildren();
    draw(null, tables[at]);
  }

  // ---- motion: cards that a hand or a row has gained come from where most were lost

  const centreOf = (box) => [box.left + box.width / 2, box.top + box.height / 2];

  // How many cards each hand and row has gained, by seat or by label.
  function gainsOf(before, now) {
    const sum = (row) => (row?.groups ?? []).reduce((total, group) => total + countOf(group), 0);
    return new Map([
      ...now.hands.map((hand, seat) => [seat, countOf(hand) - countOf(before.hands[seat])]),
      ...now.order.map((label) => [label, sum(now.rows.get(label)) - sum(before.rows.get(label))]),
    ]);
  }

  function findGiver(gains) {
    const [most] = [...gains].reduce((least, each) => (each[1] < least[1] ? each : least), [null, 0]);
    return (typeof most === "number" ? places[most].querySelector(".hand") : rowOf(most)) ?? find("table");
  }

  function animate(moved, ends, [x, y]) {
    const duration = Math.min(280, 700 / speed());
    moved.forEach((card, index) => {
      const [left, top] = ends[index];
      const keyframes = [{ transform: `translate(${x - left}px, ${y - top}px)`, zIndex: 1 }, { transform: "none", zIndex: 1 }];
      card.animate(keyframes, { duration, easing: "ease-out" });
    });
  }

  // ---- the line that is shown

  const lineOf = (hash) => rows.find((row) => row.id !== "" && `#${row.id}` === hash);
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

  // The browser lays out no lines that cannot be seen (`content-visibility`), and guesses how high they are. Those around
  // the shown line are laid out, so that it is where it seems to be.
  function reveal({ parentNode: part }) {
    const around = [part.previousElementSibling, part, part.nextElementSibling].filter(Boolean);
    for (const each of near) each.classList.toggle("near", around.includes(each));
    for (const each of around) each.classList.add("near");
    near = around;
  }

  // Return by how much the list must scroll to show a line.
  function offsetOf(row) {
    const [line, list] = [row.getBoundingClientRect(), box.getBoundingClientRect()];
    const isSeen = line.top > list.top + 60 && line.top < list.bottom - 60;
    return isSeen ? 0 : line.top - list.top - list.height / 2;
  }

  // Places are read before anything is written, and once after: each reading between two writings costs a layout.
  function show(index) {
    const before = at;
    at = Math.max(0, Math.min(rows.length - 1, index));
    const isMoving = find("motion").checked && at !== before && Math.abs(at - before) <= MOST_MOVED;
    const gains = isMoving ? gainsOf(tables[before], tables[at]) : new Map();
    const from = isMoving ? centreOf(findGiver(gains).getBoundingClientRect()) : null;

    rows[before].classList.remove("now");
    rows[at].classList.add("now");
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", `line ${at + 1} of ${rows.length}`);
    tell(rows[at]);
    const made = draw(tables[before], tables[at]);
    reveal(rows[at]);

    const moved = [...made].flatMap(([place, cards]) => (gains.get(place) > 0 ? cards : []));
    const ends = moved.map((card) => centreOf(card.getBoundingClientRect()));
    const offset = offsetOf(rows[at]);

    if (offset) box.scrollBy(0, offset);
    if (from) animate(moved, ends, from);
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
  find("eye")?.addEventListener("change", redraw);
  slider.addEventListener("input", () => go(Number(slider.value)));
  lines.addEventListener("click", (event) => {
    const row = event.target.closest("tbody tr");
    if (row) go(rows.indexOf(row));
  });
  // A link to a turn, on this page or from another one, shows the table at that turn.
  function showLinked() {
    const row = lineOf(location.hash);
    if (row) {
      go(rows.indexOf(row));
      find("replay").scrollIntoView();
    }
    return Boolean(row);
  }
  window.addEventListener("hashchange", showLinked);
  window.addEventListener("load", () => setTimeout(showLinked)); // the browser has scrolled to the line meanwhile
  find("caught")?.addEventListener("click", (event) => {
    const row = event.target.closest("a") && lineOf(event.target.closest("a").hash);
    if (row) go(rows.indexOf(row));
  });
  const drawMarks = (isMarked, top) => rows.map((row, index) => (isMarked(row) ? `M${index} ${top}V1` : "")).join("");
  find("lies").setAttribute("d", drawMarks(isLie, 0.4));
  find("calls").setAttribute("d", drawMarks(isCall, 0));
  find("replay").classList.add("steps");
  find("player").hidden = false;
  draw(null, tables[0]);
  show(0);
  // Nobody has cards when a game begins, so the page opens on the line where they are dealt.
  if (!showLinked()) show(Math.max(0, steps.findIndex((step, index) => index > 0 && step.h)));
  find("motion").checked = !matchMedia("(prefers-reduced-motion: reduce)").matches;
})();
