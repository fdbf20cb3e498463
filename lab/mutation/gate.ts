import { expect, inject, it } from 'vitest'
import { servicesOf } from '../judge/all-services.ts'
import { judgeJob } from '../judge/run.ts'
import type { Source } from '../judge/service.ts'

async function sample(of: Source, count: number): Promise<readonly (readonly [Source, string])[]> {
  const all = (await servicesOf([of])).filter(({ over }) => over === 'memory')
  const apart = Math.floor(all.length / count)
  return Array.from({ length: count }, (_, at) => [of, all[at * apart]?.name ?? ''])
}

const services = [...(await sample('variants', 3)), ...(await sample('faults', 9))]

it.for(services)('%s %s has the same result as without the mutant', async ([of, name], { task }) => {
  // Golden lines are made with one request at a time.
  const way = { profile: 'gate', over: 'memory', seed: 1, sinks: ['golden'] } as const
  const { outcome } = await judgeJob({ of, name, ...way })

  const came = `exit ${outcome.exit}, red: ${outcome.red.toSorted().join(' ')}`
  task.meta.came = came
  expect(came).toBe(inject('gates')[task.name] ?? came)
})
