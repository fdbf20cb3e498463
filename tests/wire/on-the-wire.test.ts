import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { CaseClass, GeneratorInput } from '../../lib/generate/case-class.ts'
import { caseClasses } from '../../lib/generate/case-classes.ts'
import { userAgent } from '../../lib/engine/plan/test-request.ts'
import { runProperty } from '../../lib/engine/run/run-property.ts'
import { propertyOf } from '../../lib/engine/plan/fuzz.ts'
import { contextWith, fuzzRules, classesOf } from '../support/fuzz-contexts.ts'
import {
  answerOf,
  capture,
  unknownEndpoint,
  sendAll,
  transportTo,
  type AllSent,
  differenceFrom,
} from './sent.ts'
import { plainBytes, prefix, settings, seenIn, host } from './classes.ts'
import { lineClasses } from './lines.ts'
import { targetClasses } from './targets.ts'
import { valueClasses } from './values.ts'
import { openRun } from '../../lib/engine/run/open-run.ts'

/** The classes of the catalogue, table by table. */
const catalogue = [
  'presence',
  'near miss',
  'literals',
  'white space',
  'stores and caches',
  'Unicode, as UTF-8 bytes',
  'broken encoding',
  'control (raw socket)',
  'line (raw socket)',
  'size',
  'injection',
  'versions',

  'name case and order',
  'duplicates',
  'look-alike names',
  'moved',
  'unrelated',
  'content coding',
  'content coding, odd',
  'grammar, malformed',
  'with a meaning in HTTP or to a gateway',
  'hop by hop',

  'unknown paths under /api/',
  'near misses of known paths',
  'parameter values',
  'parameter names',
  'encoding',
  'repetition',
  'order',
]

const classes = [...valueClasses, ...lineClasses, ...targetClasses]
const context = await contextWith(settings)
const plain = context.list.request.request
const expectedBytes = plainBytes(plain)
const kinds = fuzzRules.flatMap((rule) =>
  classesOf({ rule, context, endpoint: context.list }).map((kind) => ({
    about: `${rule} ${kind.name}`,
    kind,
  })),
)

let all: AllSent
beforeAll(async () => {
  all = await sendAll(context)
})

describe('every kind of every rule arrives byte for byte as its requests say', () => {
  it('whose rules are all that generate cases', () => {
    expect(fuzzRules).toEqual(Object.keys(caseClasses))
  })

  it.each(kinds)('$about', ({ about, kind }) => {
    const sent = all.sent.filter((one) => one.kind === about && one.name.startsWith(`${kind.name}.`))
    const names = new Set(sent.map(({ name }) => name))

    expect(sent.filter(({ difference }) => difference !== null)).toEqual([])
    // What every run sends is sent once, however little that is.
    const least = kind.weight === 0 ? 1 : 6
    expect(names.size).toBeGreaterThanOrEqual(Math.max(kind.count ?? 0, least))
  })

  it('the 64 combinations as well', () => {
    const sent = all.sent.filter(({ kind }) => kind === 'authentication/no-bypass')

    expect(sent.filter(({ difference }) => difference !== null)).toEqual([])
    expect(sent.length).toBeGreaterThanOrEqual(64)
  })

  it('one request for each that was sent, and nothing behind any head', () => {
    expect(all.connections).toHaveLength(all.sent.length)
    expect(all.rests).toEqual([])
  })

  it('alone on its connection, where that is promised and on the raw socket', () => {
    const onOneWithOthers = all.sent.filter(
      ({ connection }) => all.connections.filter((one) => one === connection).length > 1,
    )
    const promised = all.sent.filter(({ alone, request: { request } }) => alone || request.route === 'raw')
    const closing = all.sent.filter(
      (one) => !promised.includes(one) && /\r\nconnection: close\r\n/.test(one.seen.bytes),
    )

    expect(promised.length).toBeGreaterThan(100)
    expect(onOneWithOthers.filter((one) => promised.includes(one)).map(({ name }) => name)).toEqual([])
    // Who asks that the connection be closed may have been the only one on it.
    expect(closing.length).toBeGreaterThan(3)
    expect(onOneWithOthers.length + promised.length).toBeGreaterThanOrEqual(all.sent.length - closing.length)
  })
})

describe('every class of the catalogue is seen in the bytes that arrived', () => {
  it('and no other one is looked for', () => {
    expect(classes.map(({ name }) => name)).toEqual(catalogue)
  })

  it.each(classes)('$name', ({ examples }) => {
    const missing = examples.filter(({ isIn }) => !all.sent.some(({ seen }) => isIn(seen)))

    expect(missing.map(({ says }) => says)).toEqual([])
    expect(examples.length).toBeGreaterThan(0)
  })

  it('and in a plain request only what it has itself', () => {
    const seen = seenIn(expectedBytes)
    const found = classes.flatMap(({ examples }) => examples).filter(({ isIn }) => isIn(seen))

    expect(found.map(({ says }) => says)).toEqual([
      'the cell valid, valid, valid',
      'x-api-key: lower',
      'x-secret-key: lower',
      'x-version: lower',
      'x-api-key, x-secret-key, x-version',
    ])
  })
})

/** What no route sends, although one may look for it in a class of the catalogue. */
const unsendable = [
  {
    says: 'control: LF (and CR LF) within a value',
    because: 'to every parser the line ends there, so that a field or a request would be hidden in a value',
    value: 'abc\ndef',
  },
  {
    says: 'line: a value folded after its last character',
    because:
      'the folded line is white space alone, which some parsers take for the empty line that ends the head',
    value: 'abc\r\n ',
  },
  {
    says: 'line: a bare CR at an end of a value, or two of them',
    because:
      'where a CR ends a line, an empty line would follow, and the rest of the head would be a request of its own',
    value: 'abc\r\rdef',
  },
  {
    says: 'line: a bare CR before a colon, as in a credential that holds one',
    because: 'where a CR ends a line, that would be another field',
    value: 'abc\rde:f',
  },
] as const

describe('what no route sends', () => {
  it.each(unsendable)('$says: $because', async ({ value }) => {
    const server = await capture(() => unknownEndpoint)
    onTestFinished(server.close)
    const transport = transportTo(server)
    onTestFinished(() => transport.close())
    const request = { method: 'GET', target: '/x', fields: [{ name: 'x-api-key', value }] }

    await expect(transport.send(request)).rejects.toThrow(
      /its field "x-api-key" has a value with a control character/,
    )
    await expect(transport.send({ ...request, route: 'raw' })).rejects.toThrow(TypeError)
    expect(server.requests).toEqual([])
  })
})

describe('a run', () => {
  it('sends what goes to an unknown path on a connection that nothing else goes out on', async () => {
    const isBelowUnknown = (bytes: string): boolean => bytes.startsWith(`GET ${prefix}/api/zz`)
    const server = await capture((bytes) => (isBelowUnknown(bytes) ? unknownEndpoint : answerOf(200, {})))
    onTestFinished(server.close)
    const own = await contextWith({
      ...settings,
      RUN_FUZZ_CASES: '40',
    })
    const transport = transportTo(server)
    onTestFinished(() => transport.close())
    const run = await openRun({
      settings: own.settings,
      allotment: {},
      userAgent: userAgent('0.0.0'),
      signal: new AbortController().signal,
      transport,
    })
    const property = propertyOf('fuzz/headers', thoseAlone, own)
    if ('untested' in property) throw new Error(property.untested)
    run.sender.budget.reserve('fuzz/headers', property.requests)
    const reasons = await runProperty(run, 'fuzz/headers', property)
    const alone = server.requests.filter(({ bytes }) => isBelowUnknown(bytes))
    const besideTwins = [...property.cases()].filter(({ before }) => before !== null)

    expect(reasons).toEqual([])
    expect(run.record.findings.of('fuzz/headers').findings).toEqual([])
    expect(besideTwins.length).toBeGreaterThan(2)
    expect(alone).toHaveLength(40 + besideTwins.length)
    for (const { connection } of alone) {
      expect(server.requests.filter((one) => one.connection === connection)).toHaveLength(1)
    }
  })
})

/** Classes that promise it, of the pool and of the raw socket. */
function thoseAlone(input: GeneratorInput): readonly CaseClass[] {
  return fuzzRules
    .flatMap((rule) => caseClasses[rule](input))
    .filter(({ name }) => ['oversized', 'large-query', 'hop-by-hop', 'line-break'].includes(name))
}

describe('bytes other than what a request says are noticed', () => {
  it('but for those of a plain request', () => {
    expect(differenceFrom(plain, expectedBytes, host)).toBeNull()
  })

  it.each([
    ['another method', 'GET ', 'HEAD '],
    ['a normalised target', '/v%31/', '/v1/'],
    ['no prefix', prefix, ''],
    ['another version of HTTP', 'HTTP/1.1', 'HTTP/1.0'],
    ['no host', /host: .*?\r\n/, ''],
    ['two hosts', /host: .*?\r\n/, 'host: 127.0.0.1:1\r\nhost: 127.0.0.1:1\r\n'],
    ['another host', '127.0.0.1:1', 'localhost'],
    ['no connection', 'connection: keep-alive\r\n', ''],
    ['another connection', 'keep-alive', 'close'],
    ['a name in another case', 'x-api-key', 'X-Api-Key'],
    ['a value with less', 'x-version: 1', 'x-version: '],
    ['a value without the space before it', 'x-version: 1', 'x-version:1'],
    ['a value with white space after it', 'x-version: 1', 'x-version: 1 '],
    ['a length', 'x-version: 1\r\n', 'x-version: 1\r\ncontent-length: 0\r\n'],
    [
      'another order',
      'x-version: 1\r\naccept: application/json\r\n',
      'accept: application/json\r\nx-version: 1\r\n',
    ],
    ['a body', '\r\n\r\n', '\r\n\r\n{}'],
    ['a second request', '\r\n\r\n', '\r\n\r\nGET / HTTP/1.1\r\n\r\n'],
    ['no end', '\r\n\r\n', '\r\n'],
  ])('%s', (_, from, to) => {
    const bent = expectedBytes.replace(from, to)

    expect(bent).not.toBe(expectedBytes)
    expect(differenceFrom(plain, bent, host)).not.toBeNull()
  })
})
