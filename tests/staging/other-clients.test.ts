import { describe, expect, it } from 'vitest'
import { settingsOf as fixturesOf } from '../../lib/cli/serve-command.ts'
import { suiteContext } from '../../lib/engine/plan/suite-context.ts'
import { userAgent } from '../../lib/engine/plan/test-request.ts'
import { judge } from '../../lib/engine/run/run.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { startReference } from '../../lib/reference/service.ts'
import { read, settingsOf } from '../../lib/settings/testing/read.ts'
import { askedAsOthers } from '../../suites/cases/other-clients.ts'
import { suites } from '../../suites/index.ts'
import { contextWith } from '../fuzz-contexts.ts'
import { brokenBy } from './promises.ts'

const context = await contextWith({ RUN_PROFILE: 'acceptance', TARGET_QUERY: 'page=1' })

describe('what acceptance asks by the names of other clients', () => {
  it.each(askedAsOthers(context))('breaks no promise but the one about the name: $name', ({ request }) => {
    const outgoing = (one: typeof request) => ({
      request: one.request,
      alone: false,
      transportMayRefuse: one.traits.transportMayRefuse,
    })
    const named = request.with('user-agent', userAgent('0.0.0'))

    expect(brokenBy(outgoing(request), [context.target])).toContain('names the suite')
    expect(brokenBy(outgoing(named), [context.target])).toEqual([])
    // As in `name/1.0 (a system; b) name/1.0`: no line end, nothing that is encoded, no address to look up.
    for (const agent of fieldsOf(request.request, 'user-agent'))
      expect(agent).toMatch(/^[\w-]+\/\d[\w.]+(?: [\w-]+\/\d[\w.]+| \([\w ;,.:]+\))*$/)
  })

  it.each([
    ['gate', {}, 0],
    ['nightly', { RUN_FUZZ_CASES: '5' }, 0],
    ['acceptance', { RUN_FUZZ_CASES: '5', RUN_IDENTIFY: 'true' }, 0],
    ['acceptance', { RUN_FUZZ_CASES: '5' }, 23],
  ])(
    'is all of a run that does not name the suite, and comes last: %s, %o',
    async (RUN_PROFILE, more, count) => {
      const agents: (string | undefined)[] = []
      const service = await startReference({
        intervene: ({ headers }) => {
          agents.push(headers['user-agent'])
          return false
        },
      })
      const settings = settingsOf(await read({ ...fixturesOf(service), RUN_PROFILE, ...more }))
      const { verdict } = await judge(settings, suites)
      await service.close()
      const isUnnamed = (agent: string | undefined): boolean =>
        !/\bcard-switch-conformance\//.test(agent ?? '')
      const asked = askedAsOthers(suiteContext(settings, 'test')).slice(0, count)

      expect(verdict.verdict).toBe('conformant')
      expect(agents.filter(isUnnamed)).toEqual(
        asked.map(({ request }) => fieldsOf(request.request, 'user-agent')[0]),
      )
      // One of them may be due for a health check.
      expect(agents.slice(-count - 1).filter(isUnnamed)).toHaveLength(count)
    },
  )
})
