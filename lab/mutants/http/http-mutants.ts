import { clients } from '../../../lib/serve/reference/clients.ts'
import { documentedPairs } from '../../../lib/specification/answers.ts'
import { halfOf, type Mutant } from '../mutant.ts'
import type { Kind, Occasion } from './answer.ts'
import { bodyOperators } from './body-operators.ts'
import { deliveryOperators } from './delivery-operators.ts'
import { fieldOperators } from './field-operators.ts'
import type { Operator } from './operator.ts'
import { statusOperators } from './status-operators.ts'

/** When an operator applies. The name is a part of the id, which never changes. */
const when = (name: string, about: string, holds: (occasion: Occasion) => boolean) => ({ name, about, holds })
type Condition = ReturnType<typeof when>

const always = when('', '', () => true)
const { apiKey: second } = clients.second
const conditions: readonly Condition[] = [
  when('every-2nd', 'on every second such answer', ({ nth }) => nth % 2 === 0),
  when('every-10th', 'on every tenth such answer', ({ nth }) => nth % 10 === 0),
  when('after-20', 'from the 21st such answer on', ({ nth }) => nth > 20),
  when('reused', 'on connections that have carried a request before', ({ nthOnConnection: at }) => at > 1),
  when('concurrent', 'while another request waits for its answer', ({ inFlight }) => inFlight > 1),
  when('head', 'to HEAD', ({ request }) => request.method === 'HEAD'),
  when('query', 'to a request with a query', ({ request }) => request.url?.includes('?') === true),
  when('second', 'to the second client', ({ request: { headers } }) => headers['x-api-key'] === second),
]

/** Operators that are also applied under each condition: one of each sort that a client would notice. */
const onCondition =
  'status=500 error=next error=success success=1030 body-not-json connection-closed-before'.split(' ')

const operators = [statusOperators, bodyOperators, fieldOperators, deliveryOperators].flat()

/** A mutant of answers, with everything needed to serve it. */
export type HttpMutant = Mutant & Readonly<{ kind: Kind; operator: Operator; condition: Condition }>

/** Every operator on every kind of answer, and some operators under every condition. */
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
