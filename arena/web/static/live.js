"use strict";
// Keeps the table of a running match up to date. The server renders and escapes every fragment that is put in here.
(() => {
  const section = document.querySelector("#live[data-events]");
  if (section === null) {
    return;
  }
  const find = (name) => document.getElementById(`live-${name}`);
  const KEPT_LINES = 100;
  const SILENT_MS = 45000;
  const NEXT_MS = 5000;
  let known = section.dataset.event;
  let source = null;
  let attempts = 0;
  let retry = null;
  let silence = null;

  function addLines(html) {
    const list = find("lines");
    const holder = document.createElement("template");
    holder.innerHTML = html;
    const newest = list.firstElementChild === null ? 0 : Number(list.firstElementChild.dataset.sequence);
    const added = Array.from(holder.content.children).filter((line) => Number(line.dataset.sequence) > newest);
    list.prepend(...added);
    while (list.childElementCount > KEPT_LINES) {
      list.lastElementChild.remove();
    }
  }

  function showTable(event) {
    const fragments = JSON.parse(event.data);
    for (const [name, html] of Object.entries(fragments)) {
      if (name === "lines") {
        addLines(html);
      } else {
        find(name).innerHTML = html;
      }
    }
    known = event.lastEventId;
  }

  function showViewers(event) {
    const count = Number(event.data);
    find("viewers").textContent = count === 1 ? "1 viewer" : `${count} viewers`;
  }

  function noteLife() {
    attempts = 0;
    clearTimeout(silence);
    silence = setTimeout(reconnect, SILENT_MS);
  }

  function disconnect() {
    clearTimeout(retry);
    clearTimeout(silence);
    if (source !== null) {
      source.close();
      source = null;
    }
  }

  function connect() {
    disconnect();
    source = new EventSource(`${section.dataset.events}?after=${encodeURIComponent(known)}`);
    for (const [name, show] of [["table", showTable], ["viewers", showViewers], ["over", end]]) {
      source.addEventListener(name, (event) => {
        noteLife();
        show(event);
      });
    }
    source.addEventListener("error", reconnect);
  }

  // The browser would stop after a refusal, and would not wait longer each time. So each attempt has a new source.
  function reconnect() {
    disconnect();
    attempts += 1;
    const longest = Math.min(30000, 500 * 2 ** attempts);
    retry = setTimeout(connect, longest * (0.5 + Math.random() / 2));
    find("viewers").textContent = attempts > 1 ? "Connection lost. Reconnecting." : "";
  }

  function end() {
    disconnect();
    find("bar").hidden = true;
    section.classList.add("over");
    if (section.dataset.next) {
      setTimeout(() => location.assign(section.dataset.next), NEXT_MS);
    } else if (find("status").querySelector("a") === null) {
      location.reload();
    }
  }

  find("pause").addEventListener("click", (event) => {
    const isPaused = event.target.textContent === "Pause";
    event.target.textContent = isPaused ? "Resume" : "Pause";
    if (isPaused) {
      disconnect();
      find("viewers").textContent = "Paused.";
    } else {
      connect();
    }
  });
  addEventListener("pagehide", disconnect);
  addEventListener("pageshow", (event) => event.persisted && connect());
  find("bar").hidden = false;
  connect();
})();
