import { execFileSync } from 'node:child_process'
import { seededNumber } from '../lib/generate/seeded.ts'

/**
 * Numbers from 0 to 1, drawn by the seed that is asked for, or else by the commit, so that what was green is green again. Says by which,
 * so that it can be drawn again.
 */
export function drawing(asked: string | undefined): () => number {
  const seed = asked === undefined ? seedOfCommit() : Number(asked)
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed: given ${asked}, expected a whole number`)
  process.stdout.write(`drawn by --seed ${seed}\n`)
  let drawn = 0
  return () => seededNumber(seed, String((drawn += 1)), 2 ** 31) / 2 ** 31
}

function seedOfCommit(): number {
  const root = new URL('..', import.meta.url)
  return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root }).toString().slice(0, 7), 16)
}
