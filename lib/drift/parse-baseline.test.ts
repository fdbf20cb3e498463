import { expect, test } from 'vitest'
import { parseBaseline } from './parse-baseline.ts'

const format = 'card-switch-conformance/baseline/1'

function wrong(value: unknown): string {
  const parsed = parseBaseline(typeof value === 'string' ? value : JSON.stringify(value))
  return parsed.kind === 'wrong' ? parsed.wrong : 'nothing'
}

function answered(answer: unknown): unknown {
  return { format, stimuli: { one: { '200/': answer } } }
}

function answers(shape: unknown, seen: unknown = 1): unknown {
  return answered({ seen, shape })
}

const unnamed = `it does not name the format ${format}`
const other = `its format is not ${format}`
const [next, twelfth] = ['card-switch-conformance/baseline/2', 'card-switch-conformance/baseline/12']
const later = (its: string): string => `its format is ${its}, but this suite version reads ${format}`
const missing = 'must have required property'
const beside = 'must NOT have additional properties'
const answer = '/stimuli/one/200~1'
const broken = (says: string): string => `it is a broken baseline: ${says}`

test.each<[says: string, ...values: readonly unknown[]]>([
  ['it is empty', '', ' \n'],
  ['it is not JSON', '{"format":', '{}\uFEFF', '{"password": secret-text}'],
  [other, { format: 'card-switch-conformance/verdict/1' }, { format: 'card-switch-conformance/baseline/' }],
  [other, { format: 'card-switch-conformance/baseline/1x' }, { format: 'secret-text' }],
  [other, { format: 'my-card-switch-conformance/baseline/2' }],
  [later(next), { format: next, stimuli: {} }],
  [later(twelfth), { format: twelfth }],
  [unnamed, '"format"', '7', 'null', '[]', { format: 1 }, { name: 'package' }],
  [broken(`the whole file ${missing} 'stimuli'`), { format }],
  [broken(`the whole file ${beside}`), { format, stimuli: {}, more: 1 }],
  [broken('/stimuli must be object'), { format, stimuli: [] }, { format, stimuli: 'secret-text' }],
  [broken('/stimuli/one must be object'), { format, stimuli: { one: [] } }],
  [broken(`${answer} must be object`), answered([])],
  [broken(`${answer} ${missing} 'seen'`), answered({ shape: {} })],
  [broken(`${answer} ${beside}`), answered({ seen: 1, shape: {}, more: 1 })],
  [broken(`${answer}/seen must be >= 1`), answers({}, 0)],
  [broken(`${answer}/seen must be <= 9007199254740991`), answers({}, 2 ** 53)],
  [broken(`${answer} ${missing} 'shape'`), answers(undefined)],
  [broken(`${answer}/shape must be object`), answers([])],
  [broken(`${answer}/shape/$ must be object`), answers({ $: [1] })],
  [broken(`${answer}/shape/$ must NOT have fewer than 1 properties`), answers({ $: {} })],
  [broken(`${answer}/shape/$ ${beside}`), answers({ $: { text: 1 } })],
  [broken(`${answer}/shape/$/object must be >= 1`), answers({ $: { object: -1 } })],
  [broken(`${answer}/shape/$/object must be integer`), answers({ $: { object: 1.5 } })],
  [broken(`${answer}/shape/$/cut must be equal to constant`), answers({ $: { cut: false } })],
])('the message "%s" is given for %j', (says, ...values) => {
  for (const value of values) expect(wrong(value)).toBe(says)
})

const names = ['ok', '', '/', '200', '99/', '099/', '2000/', 'x200/', '200/123', '200/12345', '200/others']
test.each([...names, '200/xother'])('a baseline with the answer key %j is broken', (name) => {
  const value = { format, stimuli: { one: { [name]: { seen: 1, shape: {} } } } }
  expect(wrong(value)).toContain(broken('/stimuli/one '))
})

test.each(['', 'a', 'a$', ' $', '__proto__'])('a baseline with the path %j is broken', (path) => {
  const shape: unknown = JSON.parse(`{${JSON.stringify(path)}:{"object":1}}`)
  expect(wrong(answers(shape))).toContain(`${answer}/shape `)
})
