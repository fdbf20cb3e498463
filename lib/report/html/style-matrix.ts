/** The rules with their filters, and the tables and charts around them. */
export const matrixStyle = `
.filters { display: flex; flex-wrap: wrap; align-items: end; gap: 0.75rem 1.5rem; margin-bottom: 1rem; }
fieldset { border: 0; padding: 0; margin: 0; min-width: 0; }
.filters fieldset { display: flex; flex-wrap: wrap; gap: 0.35rem; }
.filters legend, .filters .search label { font-size: 0.8rem; color: var(--muted); padding: 0; margin-bottom: 0.25rem; }
.chip { position: relative; }
.chip span { display: inline-flex; align-items: center; gap: 0.35em; border: 1px solid var(--edge); border-radius: 999px; padding: 0.12rem 0.7rem; font-size: 0.86rem; background: var(--surface); cursor: pointer; }
.chip b { font-weight: 600; color: var(--muted); font-variant-numeric: tabular-nums; }
.chip input:checked + span { background: var(--text); color: var(--surface); border-color: var(--text); }
.chip input:checked + span b { color: inherit; } .chip input:checked + span .icon { stroke: currentColor; }
.search { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 0.4rem; flex: 1 1 15rem; max-width: 24rem; }
.search label { grid-column: 1 / -1; }
.search input { font: inherit; font-size: 0.9rem; color: var(--text); background: var(--surface); border: 1px solid var(--edge); border-radius: 6px; padding: 0.2rem 0.6rem; min-width: 0; }
.search input::placeholder { color: var(--muted); opacity: 1; }
.search button { font-size: 0.86rem; }
#shown { flex-basis: 100%; font-size: 0.86rem; color: var(--muted); }
.matrix > table { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; border-collapse: separate; border-spacing: 0; overflow: hidden; }
.matrix thead th { font-size: 0.8rem; color: var(--muted); padding: 0.5rem 0.75rem; }
.matrix td { padding: 0.55rem 0.75rem; border-top: 1px solid var(--line); font-size: 0.9rem; }
.matrix tr > :first-child { padding-left: 1.25rem; } .matrix tr > :last-child { padding-right: 1.25rem; }
.matrix td:first-child { width: 8.5rem; } .matrix td:nth-child(3) { width: 14rem; color: var(--muted); }
.matrix td:nth-child(4) { width: 1%; white-space: nowrap; color: var(--muted); } .matrix td:nth-child(5) { width: 1%; }
.area th { background: var(--sunken); border-top: 1px solid var(--line); padding: 0.4rem 0.75rem; font-weight: 650; font-size: 0.9rem; }
.area span { font-weight: 400; color: var(--muted); padding-left: 0.6em; font-size: 0.85rem; }
tr[data-rule]:target td { background: color-mix(in srgb, var(--accent) 9%, transparent); }
.id { color: var(--muted); font-size: 0.8rem; }
.to-findings { margin-left: 0.5em; font-size: 0.85rem; font-weight: 600; }
.because { color: var(--muted); font-size: 0.87rem; }
.narrow { display: none; }
#none-shown { padding: 1.5rem 0; text-align: center; }
@media (max-width: 48rem) {
  .wide { display: none; } .narrow { display: block; color: var(--muted); font-size: 0.82rem; }
  .matrix td:first-child { width: 1%; } .matrix tr > :first-child { padding-left: 0.8rem; }
  .matrix tr > :last-child { padding-right: 0.8rem; }
}
@media (max-width: 30rem) { .matrix .badge { flex-direction: column; align-items: start; gap: 0; font-size: 0.72rem; white-space: normal; } }
.list { font-size: 0.88rem; }
.list th, .list td { padding: 0.4rem 1rem 0.4rem 0; border-top: 1px solid var(--line); }
.list .number { padding-left: 0.5rem; }
.list thead th { color: var(--muted); font-size: 0.8rem; border-top: 0; }
section > .list { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; border-collapse: separate; border-spacing: 0; }
section > .list tr > :first-child { padding-left: 1.25rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; align-items: start; }
.charts h3, .bars caption { font-size: 0.95rem; font-weight: 650; text-align: left; padding-bottom: 0.6rem; }
.bars { font-size: 0.88rem; }
.bars th, .bars td { padding: 0.22rem 0.75rem 0.22rem 0; white-space: nowrap; width: 1%; vertical-align: middle; }
.bars .bar { width: auto; padding-right: 0; }
.bar svg { display: block; width: 100%; height: 0.65rem; border-radius: 3px; }
.track { fill: var(--sunken); } .fill { fill: var(--accent); }
.runs figure { margin: 0; width: fit-content; max-width: 100%; }
.drawing { display: block; max-width: 100%; height: auto; }
.drawing pattern path { stroke: var(--surface); stroke-width: 1; }
.drawing rect.passed { fill: color-mix(in srgb, var(--passed) 55%, var(--surface)); }
.span { display: flex; justify-content: space-between; gap: 1rem; color: var(--muted); font-size: 0.8rem; padding-top: 0.3rem; }
.runs details { margin-top: 0.6rem; overflow-x: auto; } .changes li { padding: 0.2rem 0; }
summary { cursor: pointer; }
`
