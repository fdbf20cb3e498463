import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { CaseClass, GeneratorInput } from '../../lib/fuzz/case-class.ts'
import { caseClasses } from '../../lib/fuzz/case-classes.ts'
import { propertyOf } from '../../lib/run/plan/fuzz.ts'
import { area, fuzzed, rule } from '../../lib/run/plan/rule.ts'
import { judge } from '../../lib/run/run.ts'
import { ruleIds } from '../../lib/specification/rules.ts'
import { classesOf, contextWith, fuzzRules } from '../support/fuzz-contexts.ts'
import {
  answerOf,
  capture,
  differenceFrom,
  key,
  prefix,
  secret,
  sendAll,
  settings,
  unknownEndpoint,
  type Capture,
} from './sent.ts'
import { rows } from './texts.ts'

const context = await contextWith(settings)
const classes = fuzzRules.flatMap((id) =>
  classesOf({ rule: id, context, endpoint: context.list }).map(({ name, count, weight }) => ({
    of: `${id} ${name}`,
    // Classes that every run sends may have a single case.
    least: Math.max(count ?? 0, weight === 0 ? 1 : 6),
  })),
)

let server: Capture
let sent: Awaited<ReturnType<typeof sendAll>>
beforeAll(async () => {
  server = await capture(() => unknownEndpoint)
  sent = await sendAll(server, context)
  return server.close
})

describe('the requests of every class of every rule arrive byte for byte as written', () => {
  it('for all rules that generate cases', () => {
    expect(fuzzRules).toEqual(Object.keys(caseClasses))
  })

  it.each([...classes, { of: 'combinations', least: 64 }])('$of', ({ of, least }) => {
    const those = sent.filter((one) => one.of === of)

    expect(those.filter(({ difference }) => difference !== null)).toEqual([])
    expect(new Set(those.map(({ name }) => name)).size).toBeGreaterThanOrEqual(least)
  })

  it('as one request each, with nothing after its head', () => {
    const bytes = server.requests.reduce((sum, request) => sum + request.bytes.length, 0)

    expect(server.requests).toHaveLength(sent.length)
    expect(server.arrived()).toBe(bytes)
  })

  it.each(rows)('including these texts: %s', (_, ...texts) => {
    const all = `\r\n${server.requests.map(({ bytes }) => bytes).join('')}`
    const missing = texts.filter((text) =>
      typeof text === 'string' ? !all.includes(`\r\n${text}\r\n`) : !text.test(all),
    )

    expect(missing).toEqual([])
    expect(texts.length).toBeGreaterThan(0)
  })
})

describe('a run', () => {
  it('sends each request to an unknown path on its own connection', async () => {
    const isBelowUnknown = (bytes: string): boolean => bytes.startsWith(`GET ${prefix}/api/zz`)
    const { requests, transport, close } = await capture((bytes) =>
      isBelowUnknown(bytes) ? unknownEndpoint : answerOf(200, {}),
    )
    onTestFinished(close)
    const own = await contextWith({ ...settings, RUN_FUZZ_CASES: '40' })
    const id = 'fuzz/headers'
    const others = ruleIds.filter((one) => one !== id).map((one) => rule(one, () => []))
    const all = area('Alone', [fuzzed(id, thoseAlone), ...others])
    const { verdict } = await judge(own.settings, [all], { transport })
    const property = propertyOf('fuzz/headers', thoseAlone, own)
    if ('untested' in property) throw new Error(property.untested)
    const alone = requests.filter(({ bytes }) => isBelowUnknown(bytes))
    const besideTwins = [...property.cases()].filter(({ pair }) => pair !== undefined)

    expect(verdict.rules.find((one) => one.id === id)).toMatchObject({ because: null, findings: [] })
    expect(besideTwins.length).toBeGreaterThan(2)
    expect(alone).toHaveLength(40 + besideTwins.length)
    const shared = alone.filter(
      ({ connection }) => requests.filter((one) => one.connection === connection).length > 1,
    )
    expect(shared).toEqual([])
  })
})

/** Classes that promise their own connection, for the pool and the raw socket. */
function thoseAlone(input: GeneratorInput): readonly CaseClass[] {
  return fuzzRules
    .flatMap((id) => caseClasses[id](input))
    .filter(({ name }) => ['oversized', 'large-query', 'hop-by-hop', 'line-break'].includes(name))
}

describe('differences between a request and its bytes are noticed', () => {
  const { request } = context.list.request
  const host = '127.0.0.1:1'
  const plain = [
    `GET ${prefix}/api/customizations/list?page=1&to=3 HTTP/1.1`,
    `host: ${host}`,
    'connection: keep-alive',
    `x-api-key: ${key}`,
    `x-secret-key: ${secret}`,
    'x-version: 1',
    'accept: application/json',
    'user-agent: card-switch-conformance/0.0.0',
    '\r\n',
  ].join('\r\n')

  it('but not for a plain request', () => {
    expect(differenceFrom(request, plain, host)).toBeNull()
  })

  it.each([
    ['a normalised target', '/v%31/', '/v1/'],
    ['no host', /host: .*?\r\n/, ''],
    ['two hosts', /host: .*?\r\n/, `host: ${host}\r\nhost: ${host}\r\n`],
    ['another connection', 'keep-alive', 'close'],
    ['a name in another case', 'x-api-key', 'X-Api-Key'],
    ['a value without the space before it', 'x-version: 1', 'x-version:1'],
    ['a body', '\r\n\r\n', '\r\n\r\n{}'],
  ])('%s', (_, from, to) => {
    expect(differenceFrom(request, plain.replace(from, to), host)).not.toBeNull()
  })
})
