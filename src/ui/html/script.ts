/** Serves the search, links into closed lists, and printing: the only script of a page, named by its digest in the page's security policy. */
export const SCRIPT = `
(() => {
  const lists = [...document.querySelectorAll("details")];
  const open = (list) => { if (list) list.open = true; };
  const target = () => document.getElementById(location.hash.slice(1));
  let closed = [];
  addEventListener("beforeprint", () => { closed = lists.filter((list) => !list.open); closed.forEach(open); });
  addEventListener("afterprint", () => { for (const list of closed) list.open = false; });
  const reveal = () => {
    const row = target();
    if (!row) return;
    open(row.closest("details"));
    row.scrollIntoView();
  };
  const form = document.getElementById("search");
  if (!form) { addEventListener("hashchange", reveal); reveal(); return; }
  const words = document.getElementById("words");
  const kind = document.getElementById("kind");
  const hits = document.getElementById("hits");
  const none = document.getElementById("no-hit");
  const groups = [...document.querySelectorAll("#findings > .reason")].map((group) => {
    const said = [...group.children].filter(({ tagName }) => tagName !== "OL").map(({ textContent }) => textContent);
    const head = said.join(" ").toLowerCase();
    return { group, wasOpen: group.open, rows: [...group.querySelectorAll("li")].map((row) => ({ row, text: head + " " + row.textContent.toLowerCase() })) };
  });
  const all = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\\s+/).filter(Boolean);
    const only = kind ? kind.value : "";
    const isSearch = only !== "" || wanted.length > 0;
    let shown = 0;
    for (const { group, rows, wasOpen } of groups) {
      let here = 0;
      for (const { row, text } of rows) {
        const hit = (only === "" || row.dataset.kind === only) && wanted.every((word) => text.includes(word));
        row.hidden = !hit;
        if (hit) here += 1;
      }
      group.hidden = isSearch && here === 0;
      if (group.open !== undefined) group.open = isSearch ? here > 0 : wasOpen;
      shown += here;
    }
    hits.textContent = shown + " of " + all;
    none.hidden = shown > 0;
  };
  const clear = () => {
    const row = target();
    if (row && row.hidden) {
      words.value = "";
      if (kind) kind.value = "";
      show();
    }
    reveal();
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", clear);
  form.hidden = false;
  show();
  reveal();
})();
`;
