import { findingStyle } from './style-findings.ts'
import { matrixStyle } from './style-matrix.ts'
import { overviewStyle } from './style-overview.ts'
import { printStyle } from './style-print.ts'

/** Colours by what they mean, each with enough contrast on every surface it stands on, in both themes. */
const colours = `
:root {
  color-scheme: light dark;
  --page: light-dark(#f5f6f8, #101317);
  --surface: light-dark(#ffffff, #181c22);
  --sunken: light-dark(#f3f5f8, #12161b);
  --text: light-dark(#1a2029, #e3e7ed);
  --muted: light-dark(#566172, #9ba7b7);
  --line: light-dark(#dfe3ea, #2b323c);
  --edge: light-dark(#7f8a99, #69758a);
  --accent: light-dark(#1b4fa8, #8fb6ff);
  --passed: light-dark(#12693c, #63c98f);
  --failed: light-dark(#b3261e, #ff958c);
  --warned: light-dark(#7a5200, #e3b341);
  --waived: light-dark(#5b3fa6, #b9a5f5);
  --inconclusive: light-dark(#9a4100, #f0a35e);
  --untested: light-dark(#4d5866, #a4b0bf);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, Consolas, monospace;
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
.passed { --tone: var(--passed); } .failed { --tone: var(--failed); } .warned { --tone: var(--warned); }
.waived { --tone: var(--waived); } .inconclusive { --tone: var(--inconclusive); } .untested { --tone: var(--untested); }
`

const ground = `
*, *::before, *::after { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); overflow-wrap: anywhere;
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif; }
main, .top, footer { max-width: 72rem; margin-inline: auto; padding-inline: 1.5rem; }
main { outline: none; }
section { margin-block: 2.25rem; }
h1, h2, h3 { line-height: 1.25; margin: 0; text-wrap: balance; }
h2 { font-size: 1.2rem; font-weight: 650; letter-spacing: -0.01em; margin-bottom: 0.75rem; }
h3 { font-size: 0.95rem; font-weight: 650; }
p, ul, ol, dl, dd { margin: 0; }
ul, ol { padding-left: 1.25rem; }
ul.plain { list-style: none; padding: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; text-decoration-thickness: 1px; }
code, pre { font-family: var(--mono); font-size: 0.86em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; font-weight: inherit; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.muted { color: var(--muted); }
[hidden] { display: none !important; }
.sprite { position: absolute; width: 0; height: 0; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
:root:not(.js) .js-only { display: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
:target { scroll-margin-top: 1rem; }
.skip { position: absolute; left: 1rem; top: -4rem; background: var(--surface); padding: 0.5rem 1rem; z-index: 1; }
.skip:focus { top: 0.5rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; min-width: 0; }
.icon { width: 1.05em; height: 1.05em; flex: none; vertical-align: -0.16em; fill: none; stroke: var(--tone); stroke-width: 1.6;
  stroke-linecap: round; stroke-linejoin: round; }
.badge { display: inline-flex; align-items: center; gap: 0.4em; color: var(--tone); font-weight: 600; font-size: 0.87rem; white-space: nowrap; }
button { font: inherit; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; padding: 0.2rem 0.7rem; cursor: pointer; }
button:hover { border-color: var(--accent); color: var(--accent); }
footer { padding-block: 1rem 3rem; color: var(--muted); font-size: 0.85rem; }
@media (max-width: 40rem) { main, .top, footer { padding-inline: 1rem; } .card { padding: 0.9rem 1rem; } }
`

/** The style of the page. */
export const pageStyle = [colours, ground, overviewStyle, matrixStyle, findingStyle, printStyle].join('')
