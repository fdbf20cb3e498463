import { documentedPairs } from '../../../lib/specification/answers.ts'
import { errorKinds, kinds, recordOf, withMembers, type Kind, type PlainAnswer } from './answer.ts'
import { changing, type Change, type Operator } from './operator.ts'

const list = { customizations: [{ id: 'cst_7Qm2vXk1', name: 'Evening', active: true }], total: 1 }

const statusOf = (kind: Kind): number =>
  documentedPairs.find(({ errorCode }) => errorCode === kind)?.status ?? 200

/** Statuses next to the right one, and from the neighbouring classes. */
const steps = [1, -1, 100, -100].map((step): Change => [
  `${step > 0 ? '+' : ''}${step}`,
  `the status is ${Math.abs(step)} ${step > 0 ? 'higher' : 'lower'}`,
  (one) => ({ ...one, status: one.status + step }),
])

/** Statuses that other services use. */
const others = [200, 204, 301, 304, 400, 401, 403, 404, 422, 429, 500, 503].map((status): Change => {
  const of = kinds.filter((kind) => statusOf(kind) !== status)
  return [`=${status}`, `the status is ${status}`, (one) => ({ ...one, status }), of]
})

function errorOf(kind: Kind): Readonly<Record<string, unknown>> {
  const { errorMessage = '' } = documentedPairs.find(({ errorCode }) => errorCode === kind) ?? {}
  return { error_code: kind, error_message: errorMessage }
}

/** The kind at this distance in the list of all errors. */
function neighbour(kind: Kind, step: number): Kind {
  const at = errorKinds.findIndex((one) => one === kind)
  return errorKinds.at((at + step) % errorKinds.length) ?? kind
}

const withCode = (answer: PlainAnswer, code: unknown): PlainAnswer =>
  withMembers(answer, { ...recordOf(answer.body), error_code: code })

/** The whole answer of a kind. */
function asError(answer: PlainAnswer, kind: Kind): PlainAnswer {
  return { ...withMembers(answer, errorOf(kind)), status: statusOf(kind) }
}

const codes: readonly Change[] = [
  // Swapped alone, or with their status and message.
  ...[['next', 1] as const, ['previous', -1] as const].flatMap(([which, step]): Change[] => {
    const [near, error] = [(kind: Kind) => neighbour(kind, step), `the ${which} documented error`] as const
    return [
      [`code=${which}`, `error_code is that of ${error}`, (one, { kind }) => withCode(one, near(kind))],
      [`error=${which}`, `the whole answer is ${error}`, (one, { kind }) => asError(one, near(kind))],
    ]
  }),
  ['code=9999', 'error_code is 9999, which is not documented', (one) => withCode(one, '9999')],
  ['code=number', 'error_code is a number', (one, { kind }) => withCode(one, Number(kind))],
  ['code=spaced', 'error_code has a space behind it', (one, { kind }) => withCode(one, `${kind} `)],
  ['code=prefixed', 'error_code begins with E', (one, { kind }) => withCode(one, `E${kind}`)],
  ['code=short', 'error_code lacks its last digit', (one, { kind }) => withCode(one, kind.slice(0, -1))],
  ['code=zero', 'error_code has a zero before it', (one, { kind }) => withCode(one, `0${kind}`)],
  ['error=success', '200 and the list instead', (one) => ({ ...withMembers(one, list), status: 200 })],
]

/** An error instead of the list. */
const successes = errorKinds.map((kind): Change => {
  const about = `${statusOf(kind)} and ${kind} instead`
  return [`success=${kind}`, about, (one) => asError(one, kind), ['success']]
})

/** Operators that change the decision of an answer: its status and its code. */
export const statusOperators: readonly Operator[] = [
  ...changing('status', [...steps, ...others], { prefix: 'status' }),
  ...changing('error code', [...codes, ...successes], { prefix: '', of: errorKinds }),
]
