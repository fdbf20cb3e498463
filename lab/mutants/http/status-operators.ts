import { documentedPairs } from '../../../lib/specification/answers.ts'
import { kinds, recordOf, withMembers, type Kind, type PlainAnswer } from './answer.ts'
import { changing, type Operator } from './operator.ts'

const list = { customizations: [{ id: 'cst_7Qm2vXk1', name: 'Evening', active: true }], total: 1 }

const errorKinds = kinds.filter((kind) => kind !== 'success')
const statusOf = (kind: Kind): number =>
  documentedPairs.find(({ errorCode }) => errorCode === kind)?.status ?? 200

/** Statuses next to the right one, and from the neighbouring classes. */
const steps = [1, -1, 100, -100].map((step): Operator => {
  const about = `the status is ${Math.abs(step)} ${step > 0 ? 'higher' : 'lower'}`
  const name = `status${step > 0 ? '+' : ''}${String(step)}`
  return changing({ name, family: 'status', about, kinds }, (one) => ({ ...one, status: one.status + step }))
})

/** Statuses that other services use. */
const others = [200, 204, 301, 304, 400, 401, 403, 404, 422, 429, 500, 503].map((status): Operator => {
  const parts = {
    name: `status=${String(status)}`,
    family: 'status',
    about: `the status is ${String(status)}`,
  }
  const differing = kinds.filter((kind) => statusOf(kind) !== status)
  return changing({ ...parts, kinds: differing }, (one) => ({ ...one, status }))
})

function errorOf(kind: Kind): Readonly<Record<string, unknown>> {
  const { errorMessage = '' } = documentedPairs.find(({ errorCode }) => errorCode === kind) ?? {}
  return { error_code: kind, error_message: errorMessage }
}

/** The kind at this distance in the list of all errors. */
function neighbour(kind: Kind, step: number): Kind {
  const at = errorKinds.findIndex((one) => one === kind)
  return errorKinds[(at + step + errorKinds.length) % errorKinds.length] ?? kind
}

function withCode(answer: PlainAnswer, code: unknown): PlainAnswer {
  return withMembers(answer, { ...recordOf(answer.body), error_code: code })
}

function codeOf({ body }: PlainAnswer): Kind {
  const code = recordOf(body)['error_code']
  return kinds.find((kind) => kind === code) ?? 'success'
}

/** The whole answer of a kind. */
function asError(answer: PlainAnswer, kind: Kind): PlainAnswer {
  return { ...withMembers(answer, errorOf(kind)), status: statusOf(kind) }
}

type CodeRow = readonly [name: string, about: string, change: (one: PlainAnswer, code: Kind) => PlainAnswer]

const codes: readonly CodeRow[] = [
  // Swapped alone, or with their status and message.
  ...[['next', 1] as const, ['previous', -1] as const].flatMap(([which, step]): CodeRow[] => [
    [
      `code=${which}`,
      `error_code is that of the ${which} documented error`,
      (one, code) => withCode(one, neighbour(code, step)),
    ],
    [
      `error=${which}`,
      `the whole answer is the ${which} documented error`,
      (one, code) => asError(one, neighbour(code, step)),
    ],
  ]),
  ['code=9999', 'error_code is 9999, which is not documented', (one) => withCode(one, '9999')],
  ['code=number', 'error_code is a number', (one, code) => withCode(one, Number(code))],
  ['code=spaced', 'error_code has a space behind it', (one, code) => withCode(one, `${code} `)],
  ['code=prefixed', 'error_code begins with E', (one, code) => withCode(one, `E${code}`)],
  ['code=short', 'error_code lacks its last digit', (one, code) => withCode(one, code.slice(0, -1))],
  ['code=zero', 'error_code has a zero before it', (one, code) => withCode(one, `0${code}`)],
  ['error=success', '200 and the list instead', (one) => ({ ...withMembers(one, list), status: 200 })],
]

const codeOperators = codes.map(([name, about, change]): Operator =>
  changing({ name, family: 'error code', about, kinds: errorKinds }, (one) => change(one, codeOf(one))),
)

/** An error instead of the list. */
const successes = errorKinds.map((kind): Operator => {
  const about = `${String(statusOf(kind))} and ${kind} instead`
  const parts = { name: `success=${kind}`, family: 'error code', about, kinds: ['success'] as const }
  return changing(parts, (one) => asError(one, kind))
})

/** Operators that change the decision of an answer: its status and its code. */
export const statusOperators: readonly Operator[] = [...steps, ...others, ...codeOperators, ...successes]
