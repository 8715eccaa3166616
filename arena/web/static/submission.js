"use strict";
// Loads the page of a submission again once its state has changed. Until then, focus and place on the page stay.
(() => {
  const shown = document.querySelector("#steps").dataset.known;
  const LOOK_MS = 3000;

  async function look() {
    try {
      const answer = await fetch(`${location.pathname}.json`, { cache: "no-store" });
      const view = await answer.json();
      const known = [view.submission.state, ...view.steps.map((step) => `${step.step} ${step.is_passed}`)].join();
      if (known !== shown) {
        location.reload();
        return;
      }
    } catch {
      // The site cannot be reached now, or the login is over: look again.
    }
    setTimeout(look, LOOK_MS);
  }

  setTimeout(look, LOOK_MS);
})();
