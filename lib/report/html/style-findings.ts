/** Findings and observations. */
export const findingStyle = `
.causes ol { list-style: none; padding: 0; }
.causes li { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1.1rem; margin-top: 0.6rem; overflow-wrap: anywhere; break-inside: avoid; }
.causes li p { font-size: 0.88rem; margin-top: 0.3rem; }
.findings article { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1.1rem 1.25rem; margin-top: 1rem; }
.findings h3 { display: flex; flex-wrap: wrap; gap: 0.2rem 0.8rem; font-size: 1rem; }
.findings h3 a { font-family: var(--mono); font-size: 0.92em; color: inherit; }
.findings article > .sentence { font-size: 0.9rem; margin-bottom: 0.6rem; }
.finding { border-top: 1px solid var(--line); }
.finding > summary { padding: 0.55rem 0; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.15rem 0.6rem; list-style: none; }
.finding > summary::-webkit-details-marker { display: none; }
.finding > summary::before { content: ""; flex: none; width: 0.45em; height: 0.45em; border: solid var(--muted); border-width: 0 2px 2px 0; transform: rotate(-45deg) translateY(-0.1em); margin-right: 0.15em; }
.finding[open] > summary::before { transform: rotate(45deg) translate(-0.15em, -0.1em); }
.finding > summary:hover .what { text-decoration: underline; text-underline-offset: 0.15em; }
.what { flex: 1 1 16rem; font-weight: 550; min-width: 0; }
.often { color: var(--muted); font-size: 0.85rem; }
.covered { flex-basis: 100%; color: var(--waived); font-size: 0.87rem; padding-left: 1.2em; }
.finding > dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 13rem), 1fr)); gap: 0.8rem 1.5rem; padding: 0.2rem 0 1.1rem 1.2rem; font-size: 0.9rem; }
.finding .whole { grid-column: 1 / -1; min-width: 0; }
.finding dd { min-width: 0; }
.copyable { position: relative; }
.copyable pre { margin: 0.2rem 0 0; background: var(--sunken); border: 1px solid var(--line); border-radius: 6px; padding: 0.6rem 0.8rem; padding-right: 5rem; white-space: pre-wrap; max-height: 22rem; overflow-y: auto; line-height: 1.45; font-size: 0.82rem; }
.copyable pre code { font-size: inherit; }
.copyable button { position: absolute; top: 0.6rem; right: 0.5rem; font-size: 0.78rem; padding: 0.05rem 0.55rem; }
.brief { font-size: 0.88rem; border-top: 1px solid var(--line); padding-block: 0.5rem; }
.hidden-count { font-weight: 600; border-top: 1px solid var(--line); padding-top: 0.6rem; }
.columns { columns: 20rem; column-gap: 1rem; margin-top: 0.75rem; }
.observation { break-inside: avoid; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 0.8rem 1rem; margin-bottom: 1rem; font-size: 0.87rem; }
.observation h3 { margin-bottom: 0.35rem; }
.observation dl div { display: flex; justify-content: space-between; gap: 1rem; border-top: 1px solid var(--line); padding: 0.15rem 0; }
.observation dl div:first-child { border-top: 0; }
.observation dd { text-align: right; min-width: 0; font-variant-numeric: tabular-nums; }
.observation dt { font-size: inherit; min-width: 0; }
.observation ol { padding-left: 1.5rem; }
@media (max-width: 40rem) { .findings article { padding: 0.9rem 1rem; } .finding > dl { padding-left: 0; } .hero { padding: 1.1rem; flex-direction: column; gap: 0.6rem; } }
`
