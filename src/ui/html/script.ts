/** Serves the search: the only script of a page, named by its digest in the page's content security policy. */
export const SCRIPT = `
(() => {
  const form = document.getElementById("search");
  if (!form) return;
  const words = document.getElementById("words");
  const kind = document.getElementById("kind");
  const hits = document.getElementById("hits");
  const none = document.getElementById("no-hit");
  const rows = [...document.querySelectorAll("#findings > li")].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const only = kind ? kind.value : "";
    let shown = 0;
    for (const { row, text } of rows) {
      const hit = (only === "" || row.dataset.kind === only) && wanted.every((word) => text.includes(word));
      row.hidden = !hit;
      if (hit) shown += 1;
    }
    hits.textContent = shown + " of " + rows.length;
    none.hidden = shown > 0;
  };
  const clear = () => {
    const row = document.getElementById(location.hash.slice(1));
    if (!row || !row.hidden) return;
    words.value = "";
    if (kind) kind.value = "";
    show();
    row.scrollIntoView();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", clear);
  form.hidden = false;
  show();
})();
`;
