import { faults } from '../../service/faults/all-faults.ts'
import { startChild } from '../measure/child.ts'
import type { Seeker, Suspect } from '../workers/catching.ts'

/** How many bent services were looked at, and how many of them each seeker noticed. */
export interface Catches {
  /** Of the faults every nth. */
  readonly every: number
  readonly services: number
  readonly caught: Readonly<Record<Seeker, number>>
}

/** Services looked at side by side: nothing here is timed. */
const sideBySide = 3

/** The faults of the proof that a gate must notice without further files; of these every nth. */
function suspects(every: number): readonly string[] {
  return faults
    .filter(({ profile, needs }) => profile === undefined && needs === undefined)
    .filter((_, place) => place % every === 0)
    .map(({ name }) => name)
}

/** Lets every seeker look at every nth fault. Throws where one of them blames the plain service. */
export async function countCatches(seekers: readonly Seeker[], every: number): Promise<Catches> {
  const names = suspects(every)
  const questions = seekers.flatMap((seeker) => [null, ...names].map((fault): Suspect => ({ seeker, fault })))
  const waiting = questions.values()
  const caught = { gate: 0, essential: 0, newman: 0, pactum: 0 }
  const look = async (): Promise<void> => {
    const child = startChild<Suspect, boolean>('workers/catching')
    try {
      for (const { seeker, fault } of waiting) {
        const isRed = await child.ask({ seeker, fault })
        if (isRed && fault === null) throw new Error(`${seeker} blames the plain reference service`)
        if (isRed) caught[seeker] += 1
      }
    } finally {
      child.end()
    }
  }
  await Promise.all(Array.from({ length: sideBySide }, look))
  return { every, services: names.length, caught }
}
