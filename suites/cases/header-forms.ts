import type { TestRequest } from '../../lib/engine/plan/test-request.ts'
import { requiredFields } from '../../lib/specification/endpoints.ts'

/** Another spelling or order of the header names, which means the same. */
export interface HeaderForm {
  readonly name: string
  readonly inForm: (request: TestRequest) => TestRequest
}

const spellings: readonly HeaderForm[] = [
  // Of the required fields only, as the first of the generated spellings: the same request.
  {
    name: 'upper-case',
    inForm: (one) => one.named((name) => (name.startsWith('x-') ? name.toUpperCase() : name)),
  },
  {
    name: 'capitalised',
    inForm: (one) => one.named((name) => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase())),
  },
  {
    name: 'mixed-case',
    inForm: (one) =>
      one.named((name) => name.replace(/.[a-z]?/g, (pair) => pair[0] + pair.slice(1).toUpperCase())),
  },
]

/** Every order of the three fields except the plain request's own. */
const orders: readonly HeaderForm[] = requiredFields
  .flatMap((first) =>
    requiredFields
      .filter((name) => name !== first)
      .map((second) => [
        first,
        second,
        ...requiredFields.filter((name) => name !== first && name !== second),
      ]),
  )
  .slice(1)
  .map((fields) => ({
    name: fields.map((name) => name.replace(/^x-|-key$/g, '')).join('-'),
    inForm: (one) => one.ordered(fields),
  }))

const all = [...spellings, ...orders]
const inGate = ['upper-case', 'capitalised', 'mixed-case', 'version-secret-api', 'secret-version-api']
const onWrongInGate: Readonly<Record<'key' | 'secret', readonly string[]>> = {
  key: ['upper-case'],
  secret: ['upper-case', 'version-secret-api'],
}

/** The forms of a valid request: all, or those that differ most. */
export function formsOfValid(exhaustive: boolean): readonly HeaderForm[] {
  return all.filter(({ name }) => exhaustive || inGate.includes(name))
}

/** The forms of a request with a wrong credential: all, or one spelling and, of the secret's, one order. */
export function formsOfWrong(field: 'key' | 'secret', exhaustive: boolean): readonly HeaderForm[] {
  return all.filter(({ name }) => exhaustive || onWrongInGate[field].includes(name))
}
