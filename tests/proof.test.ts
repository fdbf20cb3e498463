import { describe, expect, test } from 'vitest'
import { ruleIds } from '../lib/specification/rules.ts'
import { atMost } from './support/program.ts'
import { jobsOf } from '../lab/proof/jobs.ts'
import { kindsTable } from '../lab/proof/markdown.ts'
import { runSubject } from '../lab/proof/run-subject.ts'
import { namedFor } from '../lab/proof/summary.ts'
import type { Subject } from '../lab/proof/subject.ts'
import { allSubjects } from '../lab/proof/subjects.ts'
import { targets } from '../lab/proof/targets/all-targets.ts'
import { textOf } from './support/syntax.ts'

/** Each run keeps a core busy for a second or two; more at once would only wait for each other. */
const inTurn = atMost(3)

/** The first fault of every rule that a gate must notice, and every 24th of the others; `npm run proof` runs all. */
function quickSelection(): readonly Subject[] {
  const gate = allSubjects.filter(({ expects }) => expects.kind !== 'caught' || expects.from === 'gate')
  const first = ruleIds.flatMap(
    (id) => gate.find((subject) => subject.kind === 'fault' && namedFor(subject).includes(id)) ?? [],
  )
  // Those that cannot be judged wait rather than work, and have tests of their own.
  const others = gate.filter(({ kind }) => kind !== 'fault' && kind !== 'cannot be judged')
  return [...new Set([...first, ...others.filter((_, place) => place % 24 === 0)])]
}

describe.concurrent('the whole program, against a service', () => {
  test.for(jobsOf(quickSelection(), ['gate']))('$kind $name', { timeout: 600_000 }, async (job, context) => {
    const { result, shortcomings, red } = await inTurn(() => runSubject(job))

    context.expect(shortcomings, `${result}; red: ${red.join(', ')}`).toEqual([])
  })
})

describe('the targets that are no service to be judged, or mean harm', () => {
  test('are many, each with a name of its own', () => {
    const names = targets.map(({ name }) => name)

    expect(names.length).toBeGreaterThanOrEqual(26)
    expect(names).toEqual([...new Set(names)])
    expect(names.filter((name) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name))).toEqual([])
  })

  test('say why in every case, and blame a rule where the exit is 1 and nobody where it is 3', () => {
    expect(targets.filter(({ says }) => says.length === 0)).toEqual([])
    expect(targets.filter(({ exit, rules }) => (exit === 1) === (rules.length === 0))).toEqual([])
    expect(targets.filter(({ kind, exit }) => kind === 'cannot be judged' && exit !== 3)).toEqual([])
  })
})

test('docs/proof.md counts the subjects that there are', () => {
  expect(textOf('docs/proof.md')).toContain(kindsTable(allSubjects))
})
