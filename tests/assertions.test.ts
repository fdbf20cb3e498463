import { describe, expect, it } from 'vitest'
import { filesIn, isNode, nameOf, nodesOf, textOf, type SyntaxNode } from './syntax.ts'

/** Functions that assert by themselves, besides `expect` and what is called after it. */
const asserting = new Set(['fc.assert', 'expectTypeOf'])

/** A test as it is written. */
interface Written {
  readonly line: number
  /** Whether it runs beside others of its file. */
  readonly isConcurrent: boolean
  /** Whether its own `expect` counts its assertions, not that of whichever test began last. */
  readonly hasOwnExpect: boolean
  readonly asserts: boolean
}

/** Every test of a file; a call of `it` or `test`, or of a variant of it, with a function. */
function testsIn(text: string): readonly Written[] {
  const nodes = nodesOf(text)
  return nodes.flatMap((node) => {
    const body = testBodyOf(node)
    if (body === null) return []
    const inside = nodes.filter(({ within }) =>
      within.some(({ start, type }) => start === body.start && type === body.type),
    )
    return [
      {
        line: text.slice(0, node.start).split('\n').length,
        isConcurrent: [node, ...node.within].some(isConcurrent),
        hasOwnExpect: inside.some((one) => isOwnExpect(one, body)),
        asserts: inside.some(isAssertion),
      },
    ]
  })
}

/** The function that a call of `it` or `test` runs, or null where the node is no such call. */
function testBodyOf({ type, parts }: SyntaxNode): { readonly start: number; readonly type: string } | null {
  const name = type === 'CallExpression' ? nameOf(parts['callee']) : null
  if (name === null || !/^(?:it|test)(?:\.(?!extend\b)|$)/.test(name)) return null
  const given: readonly unknown[] = Array.isArray(parts['arguments']) ? parts['arguments'] : []
  return given.filter(isNode).find(({ type: kind }) => /^(?:Arrow)?Function/.test(kind)) ?? null
}

function isConcurrent({ type, parts }: SyntaxNode): boolean {
  const name = type === 'CallExpression' ? nameOf(parts['callee']) : null
  return name !== null && /^(?:it|test|describe)\.(?:\w+\.)*concurrent\b/.test(name)
}

/** `{ expect }` among the parameters of a test, or `context.expect` in what it does. */
function isOwnExpect({ type, parts, within }: SyntaxNode, body: { readonly start: number }): boolean {
  if (type === 'MemberExpression') return nameOf(parts['property']) === 'expect'
  const at = within.findIndex(({ start, type: kind }) => start === body.start && /Function/.test(kind))
  return type === 'Property' && nameOf(parts['key']) === 'expect' && at === 1
}

function isAssertion({ type, parts }: SyntaxNode): boolean {
  const name = type === 'CallExpression' ? nameOf(parts['callee']) : null
  // A helper whose name begins so is read below.
  return name !== null && (asserting.has(name) || /(?:^|\.)expect(?:[A-Z.]|$)/.test(name))
}

const files = ['lib', 'suites', 'tests'].flatMap((folder) => filesIn(folder, '.test.ts'))
const tests = files.flatMap((file) => testsIn(textOf(file)).map((test) => ({ ...test, file })))
const told = (some: readonly (typeof tests)[number][]): readonly string[] =>
  some.map(({ file, line }) => `${file}:${line}`)

describe('every test of our own', () => {
  it('holds an assertion', () => {
    expect(tests.length).toBeGreaterThan(1_000)
    expect(told(tests.filter(({ asserts }) => !asserts))).toEqual([])
  })

  it('takes expect from its context where it runs beside others, so that its assertions count as its own', () => {
    expect(tests.filter((test) => test.isConcurrent).length).toBeGreaterThan(50)
    expect(told(tests.filter((test) => test.isConcurrent && !test.hasOwnExpect))).toEqual([])
  })
})

describe('every helper that is called like an assertion', () => {
  const helpers = ['lib', 'suites', 'tests']
    .flatMap((folder) => filesIn(folder, '.ts'))
    .flatMap((file) => {
      const nodes = nodesOf(textOf(file))
      return nodes
        .filter(
          ({ type, parts }) =>
            type === 'FunctionDeclaration' && /^expect[A-Z]/.test(nameOf(parts['id']) ?? ''),
        )
        .map((helper) => ({
          name: `${file} ${nameOf(helper.parts['id'])}`,
          asserts: nodes.some(
            (node) => isAssertion(node) && node.within.some(({ start }) => start === helper.start),
          ),
        }))
    })

  it('asserts', () => {
    expect(helpers.length).toBeGreaterThan(2)
    expect(helpers.filter(({ asserts }) => !asserts)).toEqual([])
  })
})

describe('reading tests', () => {
  const read = (text: string): readonly Omit<Written, 'line'>[] =>
    testsIn(text).map(({ line: _line, ...test }) => test)

  it('tells a test that asserts nothing', () => {
    expect(read("it('x', () => { work() })")).toMatchObject([{ asserts: false }])
    expect(read("it.each([1])('x', (one) => { expect(one).toBe(1) })")).toMatchObject([{ asserts: true }])
    expect(read("test('x', { timeout: 5 }, async () => { await expectConformant(run()) })")).toMatchObject([
      { asserts: true },
    ])
  })

  it('tells a concurrent test that counts on the expect of all', () => {
    const inside = (parameters: string): string =>
      `describe.concurrent('x', () => { test.for([1])('y', async (${parameters}) => { expect(1).toBe(1) }) })`

    expect(read(inside(''))).toMatchObject([{ isConcurrent: true, hasOwnExpect: false }])
    expect(read(inside('one, { reference }'))).toMatchObject([{ isConcurrent: true, hasOwnExpect: false }])
    expect(read(inside('one, { expect }'))).toMatchObject([{ isConcurrent: true, hasOwnExpect: true }])
    expect(read("it.concurrent('x', (context) => { context.expect(1).toBe(1) })")).toMatchObject([
      { isConcurrent: true, hasOwnExpect: true, asserts: true },
    ])
    expect(read("it.concurrent('x', ({ expect }) => { expect(1).toBe(1) })")).toMatchObject([
      { isConcurrent: true, hasOwnExpect: true },
    ])
  })

  it('leaves alone what is no test', () => {
    expect(read('const test = base.extend({ one: async ({}, use) => { await use(1) } })')).toEqual([])
    expect(read("describe('x', () => {})")).toEqual([])
  })
})
