// Asks both judges about every exchange of a gate with each fault and variant of the reference service.
import { parseArgs } from 'node:util'
import { allSubjects } from '../proof/subjects.ts'
import { askBoth, isDisagreement, type Situations } from './comparison.ts'
import { figuresOf } from './figures.ts'

const { values } = parseArgs({
  options: { only: { type: 'string' }, every: { type: 'string', default: '1' } },
})
const subjects = allSubjects
  .filter(({ kind, needs }) => (kind === 'fault' || kind === 'variant') && needs === null)
  .filter(({ name }, at) =>
    values.only === undefined ? at % Number(values.every) === 0 : name === values.only,
  )

const met: Situations = new Map()
const wrong = new Map<string, string>()
for (const subject of subjects) {
  const started = await subject.start()
  try {
    await askBoth(started.env, met)
  } finally {
    await started.close()
  }
  for (const [name, situation] of met)
    if (isDisagreement(situation) && situation.settled === null && !wrong.has(name))
      wrong.set(name, subject.name)
}
for (const [name, subject] of wrong) {
  const { request, answer, first, second, because } = met.get(name) ?? {}
  process.stdout.write(`✗ ${request}, answered ${answer}: ${first} and ${second} (${because}); ${subject}\n`)
}
process.stdout.write(`${JSON.stringify({ services: subjects.length, ...figuresOf(met) })}\n`)
process.exitCode = wrong.size === 0 ? 0 : 1
