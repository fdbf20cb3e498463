import { whole } from '../../../lib/serve/reference/deliver.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Repeated parts of an answer that agree with each other. */
export const repeatedVariants: readonly Variant[] = [
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

function withFirstAgain(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withFirstAgain).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)

  const members = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}:${withFirstAgain(one)}`)
  return `{${[...members, ...members.slice(0, 1)].join(',')}}`
}
