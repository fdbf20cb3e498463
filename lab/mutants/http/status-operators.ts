import { documentedPairs } from '../../../lib/specification/answers.ts'
import { kinds, recordOf, withMembers, type Kind, type PlainAnswer } from './answer.ts'
import { changing, type Operator } from './operator.ts'

const list = {
  customizations: [{ id: 'cst_7Qm2vXk1', name: 'Evening', active: true }],
  total: 1,
}

const errorKinds = kinds.filter((kind) => kind !== 'success')
const statusOf = (kind: Kind): number =>
  documentedPairs.find(({ errorCode }) => errorCode === kind)?.status ?? 200

/** Statuses next to the right one, and of the neighbouring classes. */
const steps: readonly Operator[] = [1, -1, 100, -100].map((step) =>
  changing(
    {
      name: `status${step > 0 ? '+' : ''}${String(step)}`,
      family: 'status',
      about: `the status is ${Math.abs(step)} ${step > 0 ? 'higher' : 'lower'}`,
      kinds,
    },
    (answer) => ({ ...answer, status: answer.status + step }),
  ),
)

/** Statuses that other services answer with. */
const others: readonly Operator[] = [200, 204, 301, 304, 400, 401, 403, 404, 422, 429, 500, 503].map(
  (status) =>
    changing(
      {
        name: `status=${String(status)}`,
        family: 'status',
        about: `the status is ${String(status)}`,
        kinds: kinds.filter((kind) => statusOf(kind) !== status),
      },
      (answer) => ({ ...answer, status }),
    ),
)

function errorOf(kind: Kind): Readonly<Record<string, unknown>> {
  const { errorMessage = '' } = documentedPairs.find(({ errorCode }) => errorCode === kind) ?? {}
  return { error_code: kind, error_message: errorMessage }
}

/** The kind that stands so many places further in the list of all errors. */
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

/** Codes exchanged, alone or with their status and message. */
const codes: readonly Operator[] = [1, -1].flatMap((step) => {
  const which = step > 0 ? 'next' : 'previous'
  const parts = { family: 'error code', kinds: errorKinds }
  return [
    changing(
      { ...parts, name: `code=${which}`, about: `error_code is that of the ${which} documented error` },
      (answer) => withCode(answer, neighbour(codeOf(answer), step)),
    ),
    changing(
      { ...parts, name: `error=${which}`, about: `the whole answer is the ${which} documented error` },
      (answer) => {
        const other = neighbour(codeOf(answer), step)
        return { ...withMembers(answer, errorOf(other)), status: statusOf(other) }
      },
    ),
  ]
})

const unknownCodes: readonly Operator[] = (
  [
    ['code=9999', 'error_code is 9999, which is not documented', () => '9999'],
    ['code=number', 'error_code is a number', (code: Kind) => Number(code)],
    ['code=spaced', 'error_code has a space behind it', (code: Kind) => `${code} `],
    ['code=prefixed', 'error_code begins with E', (code: Kind) => `E${code}`],
    ['code=short', 'error_code lacks its last digit', (code: Kind) => code.slice(0, -1)],
    ['code=zero', 'error_code has a zero before it', (code: Kind) => `0${code}`],
  ] as const
).map(([name, about, make]) =>
  changing({ name, family: 'error code', about, kinds: errorKinds }, (answer) =>
    withCode(answer, make(codeOf(answer))),
  ),
)

/** An answer of the other sort. */
const sorts: readonly Operator[] = [
  changing(
    { name: 'error=success', family: 'error code', about: '200 and the list instead', kinds: errorKinds },
    (answer) => ({ ...withMembers(answer, list), status: 200 }),
  ),
  ...errorKinds.map((kind) =>
    changing(
      {
        name: `success=${kind}`,
        family: 'error code',
        about: `${String(statusOf(kind))} and ${kind} instead`,
        kinds: ['success'],
      },
      (answer) => ({ ...withMembers(answer, errorOf(kind)), status: statusOf(kind) }),
    ),
  ),
]

/** Operators that change what the answer decides: its status, its code. */
export const statusOperators: readonly Operator[] = [...steps, ...others, ...codes, ...unknownCodes, ...sorts]
