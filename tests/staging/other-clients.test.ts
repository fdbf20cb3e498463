import { describe, expect, it } from 'vitest'
import { settingsOf as fixturesOf } from '../../lib/doors/cli/serve-command.ts'
import { suiteContext } from '../../lib/engine/plan/suite-context.ts'
import { userAgent } from '../../lib/engine/plan/test-request.ts'
import { judge } from '../../lib/engine/run/run.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { startService } from '../../lab/service/start.ts'
import type { ReferenceOptions } from '../../lib/serve/reference/service.ts'
import type { Settings } from '../../lib/settings/settings.ts'
import { read, settingsOf } from '../../lib/settings/testing/read.ts'
import type { Verdict } from '../../lib/verdict/verdict.ts'
import { askedAsOthers } from '../../suites/cases/other-clients.ts'
import { suites } from '../../suites/index.ts'
import { contextWith } from '../support/fuzz-contexts.ts'
import { rulesThat } from '../support/program.ts'
import { brokenBy } from './promises.ts'

const context = await contextWith({ RUN_PROFILE: 'acceptance', TARGET_QUERY: 'page=1' })

interface JudgedService {
  /** The `user-agent` of each request that arrived, in order. */
  readonly agents: readonly (string | undefined)[]
  readonly verdict: Verdict
  readonly settings: Settings
}

/** Judges a service of this kind with few generated cases. */
async function judged(kind: ReferenceOptions, env: Readonly<Record<string, string>>): Promise<JudgedService> {
  const agents: (string | undefined)[] = []
  const service = await startService({
    ...kind,
    intervene: ({ headers }) => {
      agents.push(headers['user-agent'])
      return false
    },
  })
  const given = { ...fixturesOf(service), RUN_FUZZ_CASES: '5', ...env }
  const settings = settingsOf(await read(given))
  const { verdict } = await judge(settings, suites)
  await service.close()
  return { agents, verdict, settings }
}

function isUnnamed(agent: string | undefined): boolean {
  return !/\bcard-switch-conformance\//.test(agent ?? '')
}

describe('what acceptance asks by the names of other clients', () => {
  it.each(askedAsOthers(context))('breaks no promise but the one about the name: $name', ({ request }) => {
    const outgoing = (one: typeof request) => ({
      request: one.request,
      alone: false,
      transportMayRefuse: one.traits.transportMayRefuse,
      mustBeRefused: false,
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
    ['nightly', {}, 0],
    ['acceptance', { RUN_IDENTIFY: 'true' }, 0],
    ['acceptance', {}, 23],
  ])(
    'is all of a run that does not name the suite, and comes last: %s, %o',
    async (RUN_PROFILE, more, count) => {
      const { agents, verdict, settings } = await judged({}, { RUN_PROFILE, ...more })
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

describe('a service that answers by the name of the client', () => {
  it.each(['browsers-need-no-key', 'apps-need-no-right-secret', 'only-the-suite-is-served'])(
    'is noticed, but where each request names the suite: %s',
    async (fault) => {
      const run = { RUN_PROFILE: 'acceptance' }
      const { verdict } = await judged({ faults: [fault] }, run)
      const identified = await judged({ faults: [fault] }, { ...run, RUN_IDENTIFY: 'true' })

      expect(rulesThat(verdict, 'failed', 'warned')).toEqual(['authentication/no-side-door'])
      expect(identified.verdict.verdict).toBe('conformant')
    },
  )

  it.each([
    ['blocks-other-names', { 'Chrome on Windows': '403 without error_code' }, 7],
    ['closes-on-names-of-scripts', { axios: 'not answered' }, 14],
  ])('as a firewall does is not blamed, and asked no further: %s', async (variant, refused, asked) => {
    const { agents, verdict } = await judged({ variant }, { RUN_PROFILE: 'acceptance' })

    expect(verdict.verdict).toBe('conformant')
    expect(agents.filter(isUnnamed)).toHaveLength(asked)
    expect(verdict.observations).toContainEqual({ id: 'refused-user-agents', value: refused })
  })
})
