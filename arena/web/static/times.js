"use strict";
// Shows times in the reader's zone. The title keeps what the server wrote.
for (const time of document.querySelectorAll("time")) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
