import { documentedPairs } from '../../../lib/specification/answers.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { halfOf, type Mutant } from '../mutant.ts'
import type { Kind, Occasion } from './answer.ts'
import { bodyOperators } from './body-operators.ts'
import { deliveryOperators } from './delivery-operators.ts'
import { fieldOperators } from './field-operators.ts'
import type { Operator } from './operator.ts'
import { statusOperators } from './status-operators.ts'

/** When an operator applies. */
interface Condition {
  /** Part of the id, for ever. */
  readonly name: string
  readonly about: string
  readonly holds: (occasion: Occasion) => boolean
}

const always: Condition = { name: '', about: '', holds: () => true }

const conditions: readonly Condition[] = [
  { name: 'every-2nd', about: 'on every second such answer', holds: ({ nth }) => nth % 2 === 0 },
  { name: 'every-10th', about: 'on every tenth such answer', holds: ({ nth }) => nth % 10 === 0 },
  { name: 'after-20', about: 'from the 21st such answer on', holds: ({ nth }) => nth > 20 },
  {
    name: 'reused',
    about: 'on connections that have carried a request before',
    holds: ({ nthOnConnection }) => nthOnConnection > 1,
  },
  {
    name: 'concurrent',
    about: 'while another request waits for its answer',
    holds: ({ inFlight }) => inFlight > 1,
  },
  { name: 'head', about: 'to HEAD', holds: ({ request }) => request.method === 'HEAD' },
  {
    name: 'query',
    about: 'to a request with a query',
    holds: ({ request }) => request.url?.includes('?') === true,
  },
  {
    name: 'second',
    about: 'to the second client',
    holds: ({ request }) => request.headers['x-api-key'] === clients.second.apiKey,
  },
]

/** Operators that are also tried under each condition: one of each sort that a client would notice. */
const onCondition: readonly string[] = [
  'status=500',
  'error=next',
  'error=success',
  'success=1030',
  'body-not-json',
  'connection-closed-before',
]

const operators: readonly Operator[] = [
  ...statusOperators,
  ...bodyOperators,
  ...fieldOperators,
  ...deliveryOperators,
]

/** A mutant of answers, with what it takes to serve it. */
export interface HttpMutant extends Mutant {
  readonly kind: Kind
  readonly operator: Operator
  readonly condition: Condition
}

/** Every operator on every kind of answer, and some under every condition. */
export const httpMutants: readonly HttpMutant[] = [
  ...operators.flatMap((operator) => ofOperator(operator, always)),
  ...operators
    .filter(({ name }) => onCondition.includes(name))
    .flatMap((operator) => conditions.flatMap((condition) => ofOperator(operator, condition))),
]

function ofOperator(operator: Operator, condition: Condition): readonly HttpMutant[] {
  const { name, family, about } = operator
  return operator.kinds.map((kind) => {
    const id = ['http', name, kind, condition.name].filter((part) => part !== '').join(':')
    return {
      id,
      family: condition === always ? family : 'on condition',
      file: 'answers',
      line: null,
      original: original(kind),
      replacement: condition === always ? about : `${about}, ${condition.about}`,
      half: halfOf(id),
      kind,
      operator,
      condition,
    }
  })
}

function original(kind: Kind): string {
  const pair = documentedPairs.find(({ errorCode }) => errorCode === kind)
  return pair === undefined ? '200 and the list' : `${String(pair.status)} ${kind} (${pair.errorMessage})`
}
