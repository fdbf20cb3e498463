import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clients } from '../lib/serve/reference/clients.ts'
import { against, expectEnds, runWhole } from './support/program-test.ts'
import { folderWith, instead, ruleIn, rulesThat, type ProgramResult } from './support/program.ts'

/** Nine levels of schemas, each with `count` references to the next. */
function levels(base: string, count: number, holding: (references: readonly object[]) => object) {
  const depths = [0, 1, 2, 3, 4, 5, 6, 7]
  const above = depths.map((at) => [`L${at}`, holding(references(count, `${base}/L${at + 1}`))] as const)
  return Object.fromEntries([...above, ['L8', { type: 'string' }]])
}

const references = (count: number, $ref: string) => Array.from({ length: count }, () => ({ $ref }))

/** Runs the whole program. Repeats the run if this machine was too busy to recognise endless work. */
async function judged(...given: Parameters<typeof runWhole>): Promise<ProgramResult> {
  const result = await runWhole(...given)
  return result.stderr.startsWith('this machine was too busy') ? judged(...given) : result
}

/** Plans a run with an endpoints file that has this one entry. */
async function planned(entry: object): Promise<ProgramResult> {
  const cwd = await folderWith({ 'e.json': JSON.stringify([entry]) })
  return judged(['plan', '--base-url', 'embedded', '--endpoints', 'e.json'], { cwd })
}

/** Imports an OpenAPI document. */
async function imported(document: object | string): Promise<ProgramResult> {
  const text = typeof document === 'string' ? document : JSON.stringify({ openapi: '3.1.0', ...document })
  return judged(['endpoints', 'import', 'a.yaml'], { cwd: await folderWith({ 'a.yaml': text }) })
}

/** The paths of a document whose only request has this body. */
function pathsWith(body: object): object {
  return { '/api/a': { post: { requestBody: { content: { 'application/json': body } }, responses: {} } } }
}

function asProperties(schemas: readonly object[]): object {
  const properties = Object.fromEntries(schemas.map((one, index) => [`p${index}`, one]))
  return { type: 'object', properties }
}

const ofAllOf = levels('#/definitions', 30, (allOf) => ({ allOf }))
const repetitions = { type: 'string', pattern: '^(a+)+$' }
const long = `${'a'.repeat(50)}!`
const once = { properties: { next: { $ref: '#/definitions/node' } } }
/** Every level is checked twice. */
const twice = { oneOf: [{ allOf: [once, { required: ['never'] }] }, once] }
const chained = Array.from({ length: 60 }).reduce<object>((next) => ({ next }), {})

function posted(schema: object, example: unknown): object {
  return { method: 'POST', path: '/api/cards', fuzz: true, body: { schema, example } }
}

test.for([
  ['a pattern', posted(repetitions, long)],
  ['a recursive oneOf', posted({ $ref: '#/definitions/node', definitions: { node: twice } }, chained)],
] as const)('an endpoints file that would take forever is refused at its example: %s', async ([, entry]) => {
  const says = 'e.json, [0].body.example: an example that can be checked: it takes longer than 1 s'
  expectEnds(await planned(entry), 2, says, 'look for nested repetitions in patterns')
})

test('an endpoints file that would take forever is refused at its schema: levels of allOf', async () => {
  const schema = { $ref: '#/definitions/L0', definitions: ofAllOf }
  // A busy machine reaches the other limit first.
  const says =
    /e\.json, \[0\]\.body\.schema: a JSON Schema \(draft-07\) that Ajv compiles: it takes longer|e\.json: a list .* longer than 10 s/

  expectEnds(await planned(posted(schema, 'a')), 2, says)
})

test.for([
  ['9 levels of 8 references', levels('#/definitions', 8, asProperties)],
  ['a schema with 40 references to itself', { L0: asProperties(references(40, '#/definitions/L0')) }],
  ['levels of allOf below a property', { ...ofAllOf, L0: asProperties([{ $ref: '#/definitions/L1' }]) }],
] as const)(
  'an endpoints file that would take forever is planned up to a limit: %s',
  async ([, definitions]) => {
    expectEnds(await planned(posted({ $ref: '#/definitions/L0', definitions }, {})), 0, 'Fits the budget')
  },
)

test('a document that would take forever is refused: wide aliases', async () => {
  const text = `openapi: 3.1.0\npaths: { /api/a: { get: { responses: {} } } }\nx:\n  - &a [${'1,'.repeat(200_000)}]\n`
  const result = await imported(text + '  - *a\n'.repeat(90))

  // A busy machine reaches the other limit first.
  expectEnds(result, 2, /^a\.yaml, /, /1000000 values|longer than 10 s/)
  expect(result.memoryMiB ?? 0).toBeLessThan(430)
  expect(await readdir(result.cwd)).not.toContain('endpoints.json')
})

test.for([
  ['an example and its pattern', repetitions, long],
  ['a recursive oneOf', { $ref: '#/components/schemas/node' }, chained],
] as const)(
  'a document that would take forever is imported without its example: %s',
  async ([, schema, example]) => {
    const node = JSON.parse(JSON.stringify(twice).replaceAll('definitions', 'components/schemas'))
    const paths = pathsWith({ schema, example })
    const result = await imported({ paths, components: { schemas: { node } } })

    expectEnds(result, 0, 'was written: 1 entry')
    expect(await readFile(join(result.cwd, 'endpoints.json'), 'utf8')).not.toContain('"example"')
  },
)

test('a document that would take forever is imported if its schemas only make too many values', async () => {
  const schemas = levels('#/components/schemas', 8, asProperties)
  const paths = pathsWith({ schema: { $ref: '#/components/schemas/L0' } })
  expectEnds(await imported({ paths, components: { schemas } }), 0, 'was written: 1 entry')
})

test.for([
  ['a recursive oneOf', twice, JSON.stringify(chained)],
  ['8,000 levels', once, `${'{"next":'.repeat(8_000)}{}${'}'.repeat(8_000)}`],
] as const)(
  'an answer that would take forever leaves its rule inconclusive: %s',
  async ([, node, answer]) => {
    const success = { $ref: '#/definitions/node', definitions: { node } }
    const { apiKey, secretKey } = clients.permitted
    let hostile = 0
    const { cwd, env } = await against({
      intervene: ({ method, url, headers }, response) => {
        const isServed = headers['x-api-key'] === apiKey && headers['x-secret-key'] === secretKey
        if (method !== 'GET' || url !== '/api/cards' || !isServed || headers['x-version'] !== '1')
          return false
        hostile += 1
        return instead(response, 200, answer)
      },
      endpoints: [{ method: 'GET', path: '/api/cards' }],
      faults: ['missing-api-key-called-invalid'],
      files: { 'e.json': JSON.stringify([{ method: 'GET', path: '/api/cards', success }]) },
    })
    const args = ['--endpoints', 'e.json', '--max-requests', '1000']
    const { code, verdict } = await judged(args, { cwd, env })

    expect(hostile).toBeGreaterThan(2)
    const { status, because } = ruleIn(verdict, 'endpoints/list-succeeds')
    expect(status).toBe('inconclusive')
    expect(because).toMatch(
      /an answer of GET \/api\/cards could not be checked against its schema in e\.json \(entry 1\): (?:it|this machine was too busy)/,
    )
    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    expect(code).toBe(1)
  },
)
