import type { Answer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { shipped } from './shipped.ts'

/** Other success statuses, which the specification does not show, and other labels. */
export const labelVariants: readonly Variant[] = [
  ...[201, 202, 203, 299].map((successStatus): Variant => ({
    name: `success-with-${String(successStatus)}`,
    about: `A success has the status ${String(successStatus)}.`,
    manner: () => ({ writing: { successStatus } }),
  })),
  labelled('label-without-parameters', 'Bodies are labelled application/json.', () => 'application/json'),
  shipped('label-in-capitals'),
  labelled(
    'label-with-odd-parameters',
    'The label has parameters with quotes, signs and white space.',
    () => 'application/json ; charset="utf-8"; profile="https://api.example/a;b,c" ;v=1',
  ),
  labelled(
    'label-with-a-semicolon-behind',
    'The label ends in a semicolon, as the grammar of RFC 9110 allows.',
    () => 'application/json;',
  ),
  labelled('label-of-problems', 'Errors are labelled application/problem+json.', ({ refusal }) =>
    refusal === null ? 'application/json' : 'application/problem+json',
  ),
  labelled(
    'label-of-the-provider',
    'Bodies are labelled with a type of the provider, and its version.',
    () => 'application/vnd.card-switch.customizations.v1+json; charset=utf-8',
  ),
  labelled(
    'label-of-hypermedia',
    'Successes are labelled application/hal+json, errors Application/Vnd.Error+JSON.',
    ({ refusal }) => (refusal === null ? 'application/hal+json' : 'Application/Vnd.Error+JSON'),
  ),
  // Repeated parts of an answer that agree with each other.
  {
    name: 'label-sent-twice',
    about: 'Bodies are labelled twice, by the service and by a gateway that says the same.',
    manner: () => ({
      deliver: (outgoing, response) =>
        whole({ ...outgoing, fields: [...outgoing.fields, 'Content-Type', 'application/json'] }, response),
    }),
  },
  {
    name: 'member-names-twice',
    about: 'The first member of every object stands at its end again.',
    manner: () => ({ writing: { print: withFirstAgain } }),
  },
]

function labelled(name: string, about: string, contentType: (answer: Answer) => string): Variant {
  return { name, about, manner: () => ({ writing: { contentType } }) }
}

function withFirstAgain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withFirstAgain).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)

  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${withFirstAgain(one)}`)
  return `{${[...members, ...members.slice(0, 1)].join(',')}}`
}
