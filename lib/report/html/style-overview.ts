/** The top of the page: the verdict, how far it reaches, and what must not be missed. */
export const overviewStyle = `
.top { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 0.5rem 1.5rem; padding-block: 1rem; font-weight: 650; }
.top .muted { font-weight: 400; padding-left: 0.4em; }
.themes { display: inline-flex; border: 1px solid var(--line); border-radius: 8px; padding: 2px; margin: 0; background: var(--surface); min-width: 0; }
.themes span { display: block; padding: 0.1rem 0.65rem; border-radius: 6px; font-size: 0.82rem; font-weight: 500; color: var(--muted); cursor: pointer; }
.themes input, .chip input { position: absolute; opacity: 0; width: 1px; height: 1px; }
.themes input:checked + span { background: var(--text); color: var(--surface); }
.themes input:focus-visible + span, .chip input:focus-visible + span { outline: 2px solid var(--accent); outline-offset: 2px; }
.embedded { border: 2px solid var(--warned); border-radius: 10px; background: var(--surface); color: var(--warned); font-size: 1.35rem; line-height: 1.3; font-weight: 700; padding: 0.8rem 1.25rem; margin-bottom: 1rem; text-wrap: balance; }
.hero { display: flex; gap: 1.25rem; margin-block: 0; background: var(--surface); border: 1px solid var(--line); border-top: 4px solid var(--tone); border-radius: 10px; padding: 1.5rem; }
.hero > .icon { width: 3rem; height: 3rem; stroke-width: 1.1; }
.hero > div { flex: 1; min-width: 0; }
.hero h1 { font-size: clamp(1.3rem, 1rem + 1.3vw, 1.7rem); font-weight: 680; letter-spacing: -0.02em; }
.hero .target { margin-top: 0.35rem; font-size: 1.05rem; }
.hero .target code { color: var(--muted); font-size: 0.9em; }
.reasons { margin-top: 0.9rem; padding-left: 1.1rem; }
.reasons li { margin-top: 0.2rem; } .reasons li::marker { color: var(--tone); }
.proportion { display: block; width: 100%; height: 8px; border-radius: 4px; margin-top: 1.25rem; }
.proportion rect, .drawing rect[class] { fill: var(--tone); } .proportion .untested, .drawing rect.untested { fill: var(--edge); }
.counts { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin-top: 0.6rem; font-size: 0.92rem; }
.counts li { display: inline-flex; align-items: center; gap: 0.35em; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 12.5rem), 1fr)); gap: 0.7rem 1.5rem; margin-top: 1.25rem; padding-top: 1.1rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
dt { color: var(--muted); font-size: 0.8rem; }
.alarm { margin-block: 1rem 0; border: 2px solid var(--warned); border-radius: 10px; background: var(--surface); padding: 1rem 1.25rem; }
.alarm h2 { color: var(--warned); margin-bottom: 0.4rem; } .alarm p { font-weight: 600; margin-top: 0.35rem; }
.contents { display: flex; flex-wrap: wrap; gap: 0.25rem 1.4rem; margin-top: 1.25rem; font-size: 0.92rem; }
.coverage { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 1rem; margin-block: 1.25rem 0; }
.coverage h2 { font-size: 1.02rem; margin-bottom: 0.6rem; }
.coverage .card { font-size: 0.9rem; }
.areas th, .areas td { padding: 0.16rem 0; border-top: 1px solid var(--line); }
.areas tr:first-child > * { border-top: 0; }
.areas td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.coverage .plain li { padding: 0.35rem 0; border-top: 1px solid var(--line); }
.coverage .plain li:first-child { border-top: 0; }
@media (min-width: 60rem) {
  .coverage { grid-template-columns: 4fr 5fr 8fr; }
  .coverage .card:last-child ul { columns: 2; column-gap: 1.5rem; } .coverage .plain li { break-inside: avoid; border-top: 0; padding: 0.2rem 0; }
}
.ids { display: block; font-family: var(--mono); font-size: 0.8rem; }
`
