import { faults } from './all-faults.ts'
import type { Fault } from '../fault.ts'

/** The fault of this name. Throws an Error that names the nearest ones where there is none. */
export function findFault(name: string): Fault {
  const found = faults.find((fault) => fault.name === name)
  if (found !== undefined) return found
  throw new Error(`unknown fault "${name}"; did you mean ${nearest(name).join(', ')}?`)
}

function nearest(name: string): readonly string[] {
  return faults
    .map((fault) => ({ name: fault.name, distance: distance(name, fault.name) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map((candidate) => candidate.name)
}

/** How many letters must be added, dropped or changed to get from one text to the other (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const letter of from) {
    const next = [(row[0] ?? 0) + 1]
    for (const [index, other] of Array.from(to).entries()) {
      const changed = (row[index] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(changed, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
