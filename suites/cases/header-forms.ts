import { ordered, renaming } from '../../lib/fuzz/request-changes.ts'
import type { SuiteContext, TestRequest } from '../../lib/run/plan/suite-context.ts'
import { requiredFields } from '../../lib/specification/endpoints.ts'

/** Another spelling or order of the header names that means the same. */
type HeaderForm = Readonly<{ name: string; inForm: (request: TestRequest) => TestRequest }>

/** Changes the required fields only. It equals the first generated spelling, so it is the same request. */
const upperCase: HeaderForm = {
  name: 'upper-case',
  inForm: (one) => one.apply(renaming((name) => (name.startsWith('x-') ? name.toUpperCase() : name))),
}

const spellings: readonly HeaderForm[] = [
  upperCase,
  {
    name: 'capitalised',
    inForm: (one) =>
      one.apply(renaming((name) => name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase()))),
  },
  {
    name: 'mixed-case',
    inForm: (one) =>
      one.apply(
        renaming((name) => name.replace(/.[a-z]?/g, (pair) => pair[0] + pair.slice(1).toUpperCase())),
      ),
  },
]

/** Every order of the three fields, except for that of the plain request. */
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
    inForm: (one) => one.apply(ordered(fields)),
  }))

const all = [...spellings, ...orders]

/** The forms of a valid request. */
export function formsOfValid({ byProfile }: SuiteContext): readonly HeaderForm[] {
  const keyLast = orders.filter(({ name }) => name.endsWith('-api'))
  return byProfile({
    all,
    gate: [...spellings, ...keyLast],
    because: 'the spellings and the most different orders',
  })
}

/** The forms of a request with a wrong credential. */
export function formsOfWrong(field: 'key' | 'secret', { byProfile }: SuiteContext): readonly HeaderForm[] {
  const reversed = orders.filter(({ name }) => name === 'version-secret-api')
  return byProfile({
    all,
    gate: field === 'key' ? [upperCase] : [upperCase, ...reversed],
    because: 'one spelling and one order show whether a refusal depends on them',
  })
}
