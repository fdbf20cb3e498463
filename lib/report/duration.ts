/** Milliseconds as a person says them: `340 ms`, `14.8 s`, `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
