import { execFileSync } from 'node:child_process'
import { seededNumber } from '../lib/generate/seeded.ts'

/** Numbers from 0 to 1, drawn by the seed that LAB_SEED asks for, or else by the commit, so that what was green is green again. */
export function drawing(): () => number {
  const seed = Number(process.env['LAB_SEED'] ?? seedOfCommit())
  if (!Number.isSafeInteger(seed)) throw new Error('LAB_SEED: expected a whole number')
  process.stdout.write(`LAB_SEED=${seed} draws the same again.\n`)
  let drawn = 0
  return () => seededNumber(seed, String((drawn += 1)), 2 ** 31) / 2 ** 31
}

function seedOfCommit(): number {
  const root = new URL('..', import.meta.url)
  return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root }).toString().slice(0, 7), 16)
}
