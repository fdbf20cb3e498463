import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { ruleIds } from '../lib/spec/rules.ts'
import { atMost } from './at-most.ts'
import { jobsOf } from './proof/jobs.ts'
import { runSubject } from './proof/run-subject.ts'
import { namedFor } from './proof/summary.ts'
import type { Subject } from './proof/subject.ts'
import { allSubjects } from './proof/subjects.ts'

/** Each run keeps a core busy for a second or two; more at once would only wait for each other. */
const inTurn = atMost(3)
const page = new URL('../docs/proof.md', import.meta.url)

/** The first fault of every rule that a gate must notice, and every eighth variant; `npm run proof` runs all. */
function quickSelection(): readonly Subject[] {
  const gate = allSubjects.filter(({ expects }) => expects.kind !== 'caught' || expects.from === 'gate')
  const first = ruleIds.flatMap(
    (id) => gate.find((subject) => subject.kind === 'fault' && namedFor(subject).includes(id)) ?? [],
  )
  const variants = gate.filter(({ kind }) => kind === 'variant').filter((_, place) => place % 8 === 0)
  return [...new Set([...first, ...variants])]
}

describe.concurrent('the whole program, against a service', () => {
  test.for(jobsOf(quickSelection(), ['gate']))(
    '$kind $name',
    { timeout: 600_000 },
    async (job, { expect }) => {
      const { result, shortcomings, red } = await inTurn(() => runSubject(job))

      expect(shortcomings, `${result}; red: ${red.join(', ')}`).toEqual([])
    },
  )
})

test('docs/proof.md is about every subject, and nothing else', ({ expect }) => {
  expect(existsSync(page)).toBe(true)
  const text = readFileSync(page, 'utf8')
  const written = [...text.matchAll(/^\| `([a-z\d][a-z\d.-]*)` \|/gm)].map(([, name]) => name ?? '')
  const profiles = ['gate', 'acceptance', 'nightly']

  expect(written.filter((name) => !profiles.includes(name)).toSorted()).toEqual(
    allSubjects.map(({ name }) => name).toSorted(),
  )
})
