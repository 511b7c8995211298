/** The look of a page: light and dark, on a phone, on a desk and on A4. Every pair of colours has the contrast of WCAG AA. */
export const STYLE = `
:root{color-scheme:light dark;--page:#f4f5f7;--panel:#fff;--line:#d5d9df;--text:#1a1d21;--faint:#545b66;--good:#17744a;--calm:#2f5fb3;--bad:#b42318;--open:#8a5a00;--plain:#5f6875;--mark:#fff3c4}
@media (prefers-color-scheme:dark){:root{--page:#121519;--panel:#1b1f25;--line:#3a414b;--text:#e9ebee;--faint:#aab2bd;--good:#57c98f;--calm:#86aef2;--bad:#ff8f85;--open:#e6b84a;--plain:#9aa4b1;--mark:#4a3d12}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main,footer{max-width:54rem;margin:0 auto;padding:0 1rem}
main{padding-top:1.5rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .35rem;letter-spacing:-.01em}
h2{font-size:1.1rem;margin:0 0 .75rem}
h3{font-size:1rem;margin:1rem 0 .25rem}
.whole{white-space:nowrap}
p{margin:.25rem 0}
section{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:1.1rem 1.25rem;margin:1rem 0}
header{margin-bottom:1.25rem}
.verdict{font-size:1.1rem;font-weight:600;margin:0 0 .9rem;display:flex;gap:.5rem;align-items:center}
.verdict::before{content:"";width:.75em;height:.75em;border-radius:50%;background:currentColor;flex:none}
.good{color:var(--good);fill:var(--good)}.calm{color:var(--calm);fill:var(--calm)}.bad{color:var(--bad);fill:var(--bad)}.open{color:var(--open);fill:var(--open)}.plain{color:var(--plain);fill:var(--plain)}
dl{margin:0}dd{margin:0}
.facts{display:flex;flex-wrap:wrap;gap:.4rem 1.75rem}
.facts dt,.tiles dt{color:var(--faint);font-size:.85rem}
.facts dd{overflow-wrap:anywhere}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(8.25rem,1fr));gap:1rem 1.25rem;margin-top:1rem}.tiles.small dd{font-size:1.05rem}
.tiles div{display:flex;flex-direction:column-reverse;justify-content:flex-end}
.tiles dd{font-size:1.45rem;font-weight:600;line-height:1.2;font-variant-numeric:tabular-nums}
.tiles dt{line-height:1.35}
.command{color:var(--faint);margin:0 0 .15rem}
h1{overflow-wrap:anywhere}
summary{cursor:pointer;padding:.35rem 0;overflow-wrap:anywhere}
section>details,.reason{border-top:1px solid var(--line);margin-top:.6rem;padding-top:.35rem}
#findings>.reason:first-child{border-top:0;margin-top:0;padding-top:0}
.reason .hint{overflow-wrap:anywhere;color:var(--faint);margin:0 0 .35rem 1.1rem}.reason .quote{margin-left:1.1rem}
.losses{border-left:.35rem solid var(--open)}
.losses li+li{margin-top:.35rem}
.users{columns:22rem 2}
.users li{break-inside:avoid}
.stopped{border-color:var(--bad);border-left-width:.35rem}
pre{white-space:pre-wrap;margin:.25rem 0 0;padding:.6rem .75rem;background:var(--page);border-radius:.4rem;font-size:.85rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em;overflow-wrap:anywhere}
pre code{font-size:inherit}
.chart{margin:0}
.chart svg{display:block;width:100%;height:auto;overflow:visible}figcaption span{display:block}
.chart .wide{display:none}
figcaption{margin-top:.75rem;color:var(--faint);font-variant-numeric:tabular-nums}
svg text{font-size:14px;fill:var(--text);paint-order:stroke;stroke:var(--panel);stroke-width:3px;stroke-linejoin:round}
svg .number{font-weight:600;font-variant-numeric:tabular-nums}
svg text.faint{fill:var(--faint)}
.band{opacity:.28}
.curve,.axis{fill:none;stroke:var(--calm);stroke-width:2}
.axis{stroke:var(--plain);stroke-width:1}
.area{fill:var(--calm);opacity:.18}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th{text-align:left;font-weight:400;vertical-align:top}
thead th{color:var(--faint);font-size:.85rem}
th,td{padding:.35rem .75rem .35rem 0}
tbody tr{border-top:1px solid var(--line)}
th.number,td.number{text-align:right;padding-right:0;padding-left:.75rem;white-space:nowrap}
.bars .bar{display:block;margin-top:.2rem}
.scroll{overflow-x:auto}
ul{margin:.25rem 0;padding-left:1.2rem}
li,h3{overflow-wrap:anywhere}
.columns{columns:14rem 3}
.files{list-style:none;padding:0}
.files li+li{margin-top:.4rem}
.faint,.count{color:var(--faint)}
.count{font-weight:400}
.sum{margin:-.25rem 0 .75rem;font-variant-numeric:tabular-nums}
#search:not([hidden]){display:flex;flex-wrap:wrap;gap:.6rem 1rem;align-items:end;margin-bottom:.9rem}
#search label{color:var(--faint);font-size:.85rem;display:flex;flex-direction:column;gap:.15rem;flex:1 1 12rem;max-width:22rem}
#search label:has(select){flex:0 1 9rem}
input,select{font:inherit;font-size:1rem;color:var(--text);background:var(--page);border:1px solid var(--plain);border-radius:.4rem;padding:.35rem .5rem;min-height:2.6rem;width:100%}
#hits{color:var(--faint);padding-bottom:.5rem}
a{color:var(--calm)}
:focus-visible{outline:3px solid var(--calm);outline-offset:2px}
.findings{list-style:none;margin:0;padding:0}
.findings li{display:grid;grid-template-columns:minmax(2.75rem,max-content) 1fr;gap:.5rem;padding:.3rem 0;scroll-margin-top:1rem}
.findings li[hidden]{display:none}
.findings li:target{background:var(--mark);box-shadow:0 0 0 .5rem var(--mark);border-radius:.1rem}
.findings a.number{font-variant-numeric:tabular-nums;padding:.1rem .25rem;align-self:start;min-height:1.75rem}
.findings p{margin:0;overflow-wrap:anywhere}
.tag{border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;font-size:.8rem;white-space:nowrap}
.where{font-weight:600}
.quote{color:var(--faint);font-size:.92rem}
footer{padding:1rem 1rem 2.5rem;color:var(--faint);font-size:.85rem}
@media (min-width:44rem){.chart .wide{display:block}.chart .narrow{display:none}}
@page{size:A4;margin:14mm}
@media print{:root{--page:#fff;--panel:#fff;--line:#c9ced6;--text:#000;--faint:#444b55;--good:#17744a;--calm:#2f5fb3;--bad:#b42318;--open:#8a5a00;--plain:#5f6875;--mark:#fff;color-scheme:light}
body{font-size:10.5pt}main,footer{max-width:none;padding:0}#search:not([hidden]){display:none}
section{padding:.8rem 1rem}tr,figure,.tiles div,.findings li{break-inside:avoid}h2,h3,summary,.hint,.quote{break-after:avoid}.findings li{padding:.1rem 0}.findings a.number{min-height:0;padding:0}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}.chart .wide{display:block}.chart .narrow{display:none}a{color:inherit;text-decoration:none}}
`;
