/** What of a line of Markdown stands outside of code. Source: CommonMark 0.31, 6.1: a run of backticks ends with the next of its length. */
export function outsideCode(line: string): string {
  const runs = [...line.matchAll(/`+/g)]
  let [outside, from] = ['', 0]
  while (runs.length > 0) {
    const open = runs.shift()
    if (open === undefined) break
    const closing = runs.findIndex(([ticks]) => ticks.length === open[0].length)
    const close = runs[closing]
    if (close === undefined) continue
    outside += line.slice(from, open.index)
    from = close.index + close[0].length
    runs.splice(0, closing + 1)
  }
  return outside + line.slice(from)
}
