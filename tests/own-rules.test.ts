import type { IncomingMessage, ServerResponse } from 'node:http'
import { area } from 'card-switch-conformance'
import { describe } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { readSettingsAndSuites } from '../lib/doors/settings-and-own.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { ruleIn, settingsFor, type ProgramResult } from './support/program.ts'
import { run, test } from './support/program-test.ts'

const id = 'acme/one'

/** Runs the one rule whose cases this function makes. */
async function judged(
  service: ReferenceService,
  casesOf: string,
  more: readonly string[] = [],
): Promise<ProgramResult> {
  const suites = await ownFolder({ 'a.mjs': declaring(ownEntry, casesOf) })
  return run([...more, '--suites', suites, '--only', 'acme/*'], { env: settingsFor(service) })
}

/** Answers these requests, by their number, with a list that holds nothing, and lets the service answer others. */
function emptyOn(...numbers: readonly number[]) {
  let arrived = -1
  return (_: IncomingMessage, response: ServerResponse): boolean => {
    arrived += 1
    if (!numbers.includes(arrived)) return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"customizations":[]}')
    return true
  }
}

const isEmpty = `(body) => (body.customizations.length === 0 ? 'its list is empty' : null)`
const onPlain = (check: string): string => `({ list }) => [example('plain', list.request, ${check})]`

describe.concurrent('a rule of a user', () => {
  const places = {
    'the plain request': onPlain,
    'a request derived from it': (check: string) =>
      `({ list }) => [example('german', list.request.with('accept-language', 'de'), ${check})]`,
    'a scenario': (check: string) =>
      `({ list }) => [scenario('twice', 2, async (stage) => [
        await stage.served(list.request), await stage.judge(list.request, ${check})])]`,
    'the plain request after its success': (check: string) =>
      `({ list }) => [example('served', list.request, succeeds()), example('plain', list.request, ${check})]`,
  } as const

  test.for(Object.entries(places))('that fails on %s is violated', async ([, on], { reference, expect }) => {
    const casesOf = on(`succeedsWith(() => 'it has no wings')`)
    const { code, verdict, stdout } = await judged(await reference(), casesOf)

    expect([code, verdict?.verdict, ruleIn(verdict, id).status]).toEqual([1, 'nonconformant', 'failed'])
    expect(ruleIn(verdict, id).findings).toMatchObject([
      {
        reproduced: '3 of 3',
        summary: 'answered 200 with JSON, but it has no wings',
        curl: expect.any(String),
      },
    ])
    expect(stdout).toContain('NONCONFORMANT')
    expect(stdout).toMatch(/^    .*: acme\/one\n/m)
    expect(stdout).toContain('but it has no wings')
  })

  test.for(Object.entries(places))('that holds on %s passes', async ([, on], { reference, expect }) => {
    const { code, verdict, stdout } = await judged(await reference(), on(`succeedsWith(${isEmpty})`))

    expect([code, ruleIn(verdict, id).status]).toEqual([0, 'passed'])
    expect(stdout).toContain('CONFORMANT')
  })

  // The first request is the preflight, the second the case; between the repetitions stands a health check.
  test('that fails sometimes is an intermittent violation', async ({ reference, expect }) => {
    const service = await reference({ intervene: emptyOn(1) })
    const { code, verdict, stdout } = await judged(service, onPlain(`succeedsWith(${isEmpty})`))

    expect([code, ruleIn(verdict, id).findings[0]?.reproduced]).toEqual([1, '1 of 3'])
    expect(stdout).toContain('intermittent')
  })

  test('is violated though plain valid requests fail after it', async ({ reference, expect }) => {
    const failing = emptyOn(1)
    let arrived = 0
    const service = await reference({
      intervene: (request, response) => {
        arrived += 1
        if (failing(request, response)) return true
        if (arrived > 2) response.writeHead(500).end('{}')
        return arrived > 2
      },
    })
    const { verdict } = await judged(service, onPlain(`succeedsWith(${isEmpty})`))

    expect(ruleIn(verdict, id).status).toBe('failed')
  })

  test('accuses nobody if there was no success to look into', async ({ reference, expect }) => {
    let arrived = 0
    const service = await reference({
      intervene: (_, response) => {
        arrived += 1
        if (arrived > 1) response.writeHead(500).end('{}')
        return arrived > 1
      },
    })
    const { code, verdict } = await judged(service, onPlain(`succeedsWith(${isEmpty})`))

    expect([code, ruleIn(verdict, id).status, ruleIn(verdict, id).because]).toEqual([
      3,
      'inconclusive',
      'a plain valid request did not succeed either (see endpoints/list-succeeds)',
    ])
  })

  test('is violated in the midst of all rules, whose requests it shares', async ({ reference, expect }) => {
    const suites = await ownFolder({
      'a.mjs': declaring(ownEntry, onPlain(`succeedsWith(() => 'it has no wings')`)),
    })
    const { code, verdict } = await run(['--suites', suites], { env: settingsFor(await reference()) })

    expect([code, verdict?.rules.filter(({ status }) => status === 'failed').map((one) => one.id)]).toEqual([
      1,
      [id],
    ])
  })

  test('reads the whole of a long list', async ({ reference, expect }) => {
    const items = Array.from({ length: 2_000 }, (_, index) => ({
      id: `customization-${index}`,
      name: 'Evening',
    }))
    const service = await reference({
      intervene: (request, response) => {
        if (request.headers['x-api-key'] === undefined) return false
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ customizations: items }))
        return true
      },
    })
    const last = (name: string): string =>
      `succeedsWith(({ customizations }) => customizations.at(-1).id === '${name}' ? null : 'another one is last')`
    const casesOf = (name: string): string => `({ list }) => [
      example('plain', list.request, ${last(name)}),
      scenario('again', 1, async (stage) => [await stage.judge(list.request, ${last(name)})])]`
    const right = await judged(service, casesOf('customization-1999'))
    const wrong = await judged(service, casesOf('customization-0'))

    expect([right.code, wrong.code]).toEqual([0, 1])
    expect(ruleIn(wrong.verdict, id).findings).toMatchObject([{ count: 2 }])
  })

  test('may rely on texts that clients of others must not rely on', async ({ reference, expect }) => {
    const check = `succeedsWith(({ customizations: [one] }) => (one.name === 'Evening' ? null : 'it is not evening'))`
    const suites = await ownFolder({ 'a.mjs': declaring(ownEntry, onPlain(check)) })
    const only = ['--suites', suites, '--only', 'acme/*,tolerance/*']
    const { code, verdict } = await run(only, { env: settingsFor(await reference()) })

    expect([code, verdict?.because]).toEqual([0, []])
  })

  test('shows no credential that its check tells', async ({ reference, expect }) => {
    const service = await reference()
    const secret = service.clients.permitted.secretKey
    const { code, stdout, verdict } = await judged(
      service,
      onPlain(`succeedsWith(() => 'it holds ${secret}')`),
    )

    expect(code).toBe(1)
    expect(ruleIn(verdict, id).findings[0]?.summary).toContain('it holds <TARGET_SECRET_KEY>')
    expect(stdout).toContain('it holds <TARGET_SECRET_KEY>')
  })
})

describe.concurrent('what is no rule ends in 2, and names rule, file and value:', () => {
  const checks: readonly (readonly [string, string, string])[] = [
    ['nothing', `succeedsWith(() => {})`, 'instead of undefined'],
    ['a promise', `succeedsWith(async () => null)`, 'instead of a promise'],
    ['a boolean', `succeedsWith(() => false)`, 'instead of false'],
    ['a number', `succeedsWith(() => 0)`, 'instead of 0'],
    ['an object', `succeedsWith(() => ({}))`, 'instead of an object'],
    ['an empty text', `succeedsWith(() => '')`, 'instead of an empty text'],
    ['an error', `succeedsWith(() => { throw new Error('no such luck') })`, 'instead of: no such luck'],
    ['a promise for a judgement', `{ allowed: [], judge: async () => null }`, 'instead of a promise'],
    ['a text for a judgement', `{ allowed: [], judge: () => 'wrong' }`, 'instead of a text'],
    ['half a judgement', `{ allowed: [], judge: () => ({ kind: 'violates' }) }`, 'instead of an object'],
  ]
  test.for(checks)('a check that gives %s', async ([, check, says], { reference, expect }) => {
    const { code, verdict, stdout } = await judged(await reference(), onPlain(check))

    expect([code, verdict?.verdict]).toEqual([2, 'error'])
    expect(verdict?.because[0]).toContain(says)
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*\/a\.mjs\), case plain: expected /)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(says)
  })

  const plays: readonly (readonly [string, string, string])[] = [
    ['nothing', `async (stage) => { await stage.send(list.request) }`, 'instead of undefined'],
    ['no exchange', `async (stage) => [await stage.send(list.request)]`, 'instead of an object'],
    ['an error', `async () => { throw new TypeError('no such luck') }`, 'instead of: no such luck'],
    [
      'a check of nothing',
      `async (stage) => [await stage.judge(list.request, succeedsWith(() => {}))]`,
      'instead of undefined',
    ],
  ]
  test.for(plays)('a scenario that gives %s', async ([, play, says], { reference, expect }) => {
    const casesOf = `({ list }) => [scenario('plain', 1, ${play})]`
    const { code, verdict } = await judged(await reference(), casesOf)

    expect([code, verdict?.because[0]]).toEqual([2, expect.stringContaining(says)])
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*\/a\.mjs\), case plain: expected /)
  })

  const cases: readonly (readonly [string, string, string])[] = [
    ['a promise', `async () => []`, 'instead of a promise'],
    ['nothing', `() => {}`, 'instead of undefined'],
    ['an object', `() => ({})`, 'instead of an object'],
    ['a text', `() => 'plain'`, 'instead of a text'],
    ['numbers', `() => [1]`, 'instead of 1'],
    [
      'promises',
      `({ list }) => [Promise.resolve(example('plain', list.request, succeeds()))]`,
      'instead of a promise',
    ],
    ['no name', `({ list }) => [example(undefined, list.request, succeeds())]`, 'instead of undefined'],
    ['no check', `({ list }) => [example('plain', list.request)]`, 'instead of undefined'],
    [
      'a function for a check',
      `({ list }) => [example('plain', list.request, () => null)]`,
      'instead of a function',
    ],
    [
      'an endpoint for a request',
      `({ list }) => [example('plain', list, succeeds())]`,
      'instead of an object',
    ],
    ['no play', `() => [scenario('plain', 1)]`, 'instead of undefined'],
    ['no reason', `() => ({ untested: 1 })`, 'instead of 1'],
    [
      'an error',
      `({ target }) => { throw new Error('broken by ' + target.secretKey.reveal()) }`,
      'instead of: broken by <TARGET_SECRET_KEY>',
    ],
  ]
  test.for(cases)('cases that are %s', async ([, casesOf, says], { reference, expect }) => {
    const service = await reference()
    const { code, verdict, stderr } = await judged(service, casesOf)
    const planned = await judged(service, casesOf, ['plan'])

    expect([code, verdict?.because]).toEqual([2, [expect.stringContaining(says)]])
    expect(verdict?.because[0]).toMatch(/^RUN_SUITES: acme\/one \(.*\/a\.mjs\): expected /)
    expect([planned.code, planned.stderr]).toEqual([2, expect.stringContaining(says)])
    expect(stderr).toContain(says)
    expect(service.requests()).toBe(0)
  })

  const classes: readonly (readonly [string, string, string])[] = [
    ['a promise', `async () => []`, 'instead of a promise'],
    ['judged changes', `() => [judged('a', withQuery('a=b'))]`, 'instead of an object'],
    [
      'an error as they are drawn',
      `() => [caseClass('a', { weight: 1 }, [judged('a', () => { throw new Error('no such luck') })])]`,
      'instead of: no such luck',
    ],
  ]
  test.for(classes)('classes that are %s', async ([, classesOf, says], { reference, expect }) => {
    const suites = await ownFolder({
      'a.mjs': `${declaring(ownEntry)}\nexport const two = area('B', [fuzzed(${ownEntry.replace('one', 'two')}, ${classesOf})])`,
    })
    const { code, stderr } = await run(['--suites', suites, '--only', 'acme/*'], {
      env: settingsFor(await reference()),
    })

    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
    expect(stderr).toMatch(/acme\/two \(.*\/a\.mjs\)/)
  })

  test('all of them at once', async ({ reference, expect }) => {
    const other = declaring(ownEntry.replace('one', 'two'), '() => 1')
    const suites = await ownFolder({ 'a.mjs': declaring(ownEntry, '() => {}'), 'b.mjs': other })
    const { code, stderr } = await run(['plan', '--suites', suites], { env: settingsFor(await reference()) })

    expect(code).toBe(2)
    expect(stderr).toContain('2 mistakes in the settings; nothing was sent.')
    expect(stderr).toMatch(
      /acme\/one \(.*a\.mjs\)[^]*instead of undefined[^]*acme\/two \(.*b\.mjs\)[^]*instead of 1/,
    )
  })

  test('a check that is sent again', async ({ reference, expect }) => {
    const suites = await ownFolder({ 'a.mjs': declaring(ownEntry, onPlain('succeedsWith(() => {})')) })
    const env = settingsFor(await reference())
    const { code, stderr } = await run(['replay', `${id}:1:plain`, '--suites', suites], { env })

    expect([code, stderr]).toEqual([2, expect.stringContaining('instead of undefined')])
  })
})

describe.concurrent('cases may come', () => {
  test('from a generator', async ({ reference, expect }) => {
    const casesOf = `function* ({ list }) { yield example('plain', list.request, succeeds()) }`
    const { code, verdict } = await judged(await reference(), casesOf)

    expect([code, ruleIn(verdict, id).answers]).toEqual([0, 1])
  })
})

test('areas that a script gives are checked as those of a folder are', async ({ expect }) => {
  const read = await readSettingsAndSuites({
    env: { TARGET_BASE_URL: 'embedded' },
    own: [area('Acme', [])],
  })

  expect(read).toMatchObject({
    kind: 'issues',
    issues: [
      {
        setting: 'RUN_SUITES',
        given: 'the areas given as own',
        expected: 'at least one rule in the area Acme',
      },
    ],
  })
})
