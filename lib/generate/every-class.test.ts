import { describe, expect, it } from 'vitest'
import type { MutatedRequest } from './case-class.ts'
import { caseClasses } from './case-classes.ts'
import { casesOf, inputs } from './testing/requests.ts'

const rules = Object.entries(caseClasses)

describe.each(rules)('%s', (_, classesOf) => {
  it.each(Object.entries(inputs))(
    'sends every class within 200 cases, whatever the seed: %s',
    (__, input) => {
      for (let seed = 0; seed < 10; seed += 1) {
        const sent = new Set(casesOf(classesOf(input), 200, seed).map(({ name }) => classNameOf(name)))
        const missing = classesOf(input).filter(({ name }) => !sent.has(name))

        expect(missing.map(({ name }) => name)).toEqual([])
      }
    },
  )
})

// What each class has is seen in the bytes, in `tests/wire/`.
it('judges each class as it is written down', async () => {
  const lines = rules.flatMap(([rule, classesOf]) =>
    Object.values(inputs)
      .slice(1, 2)
      .flatMap((input) => {
        const cases = casesOf(classesOf(input), 2_000)
        return classesOf(input).map(({ name }) => {
          const ways = cases
            .filter((one) => classNameOf(one.name) === name)
            .map(({ mutated }) => wayOf(mutated))
          return `${rule} ${name}: ${[...new Set(ways)].toSorted().join('; ')}\n`
        })
      }),
  )

  await expect(lines.join('')).toMatchFileSnapshot('testing/every-class.txt')
})

function classNameOf(name: string): string {
  return name.split('.')[0] ?? ''
}

function wayOf({ treatment, transportMayRefuse, mayRedirect, toUnknownPath }: MutatedRequest): string {
  return [
    treatment,
    ...(transportMayRefuse ? ['a transport may refuse it'] : []),
    ...(mayRedirect === true ? ['may redirect'] : []),
    ...(toUnknownPath === true ? ['to an unknown path'] : []),
  ].join(', ')
}
