/** The look of the console: light and dark, from a phone to a wide screen, with the contrast of WCAG AA. */
export const STYLE = `
:root{color-scheme:light dark;--page:#f4f5f7;--panel:#fff;--line:#d5d9df;--text:#1a1d21;--faint:#545b66;--good:#17744a;--link:#2f5fb3;--bad:#b42318;--open:#8a5a00}
@media (prefers-color-scheme:dark){:root{--page:#121519;--panel:#1b1f25;--line:#3a414b;--text:#e9ebee;--faint:#aab2bd;--good:#57c98f;--link:#86aef2;--bad:#ff8f85;--open:#e6b84a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
header,main,footer{max-width:78rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.1rem}
h1{font-size:1.35rem;margin:0;letter-spacing:-.01em}
h2{font-size:1.05rem;margin:0 0 .6rem}
p{margin:.25rem 0}
a{color:var(--link);text-underline-offset:.15em}
code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;overflow-wrap:anywhere}
.faint{color:var(--faint)}.bad{color:var(--bad)}.good{color:var(--good)}.open{color:var(--open)}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--panel);padding:.4rem .7rem;z-index:1}
.top{display:flex;flex-wrap:wrap;gap:.5rem 2rem;align-items:end;justify-content:space-between}
.tabs{display:flex;flex-wrap:wrap;gap:.25rem;margin-top:1rem;padding:3px 3px 0}
.tabs a{padding:.5rem .9rem;border:1px solid transparent;border-bottom:0;border-radius:.5rem .5rem 0 0;text-decoration:none;color:var(--text);white-space:nowrap}
.tabs a[aria-current]{background:var(--panel);border-color:var(--line);font-weight:600}
.tabs span{color:var(--faint);font-weight:400;font-variant-numeric:tabular-nums}
main>section,.empty{background:var(--panel);border:1px solid var(--line);border-radius:.5rem;padding:1rem 1.1rem;margin:0 0 1rem}
main>section:first-child{border-top-left-radius:0}
form{display:flex;flex-wrap:wrap;gap:.5rem .8rem;align-items:end;margin:0}
label{color:var(--faint);font-size:.85rem;display:flex;flex-direction:column;gap:.1rem}
input,select,button{font:inherit;font-size:1rem;color:var(--text);background:var(--page);border:1px solid var(--faint);border-radius:.4rem;padding:.3rem .55rem;min-height:2.5rem}
button{cursor:pointer;background:var(--panel);color:var(--link);border-color:var(--link)}
input[type=search]{width:min(22rem,100%)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;vertical-align:top;padding:.45rem .9rem .45rem 0;font-weight:400}
thead th{color:var(--faint);font-size:.85rem}
tbody tr{border-top:1px solid var(--line)}
th[scope=row]{min-width:12rem}
td[data-head=E-mail]{min-width:20rem}
.number{text-align:right;white-space:nowrap}
td bdi{overflow-wrap:anywhere}
time,.tag{white-space:nowrap}
.tag{border:1px solid currentColor;border-radius:1rem;padding:0 .5rem;font-size:.8rem}
@media (max-width:44rem){thead{position:absolute;left:-99rem}table,tbody,tr,th,td{display:block}tbody tr{padding:.6rem 0}th,td,.number{padding:0;text-align:left}td,td.number,td[data-head=E-mail]{position:relative;min-width:0;padding:.1rem 0 .1rem 7rem;white-space:normal}time{white-space:normal}td::before{content:attr(data-head);position:absolute;left:0;color:var(--faint);font-size:.85rem}td:empty{display:none}.tabs a{padding:.4rem .6rem;border:1px solid var(--line);border-radius:.5rem}.tabs{padding-bottom:.75rem}main>section:first-child{border-radius:.5rem}}
.pager{display:flex;flex-wrap:wrap;align-items:baseline;gap:.3rem 1.1rem;padding-top:.9rem;font-variant-numeric:tabular-nums}
.pager a,.pager .off{padding:.2rem 0}
.off{color:var(--faint)}
.crumb{margin-bottom:.6rem}
ul{margin:.25rem 0 .75rem;padding-left:1.2rem}
.fault{margin-top:.8rem}
pre{white-space:pre-wrap;margin:.5rem 0;padding:.6rem .75rem;background:var(--page);border-radius:.4rem}
footer{color:var(--faint);font-size:.85rem;padding-bottom:2rem}
`;
