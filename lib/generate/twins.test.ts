import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fieldsOf, valueOf } from '../http/request.ts'
import { anyCredential } from './testing/credentials.ts'
import { baseOf, casesOf, materialOf, requestOf } from './testing/requests.ts'
import { oddValueKinds } from './value-line-kinds.ts'

/** A line break, or a control character. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const broken = /\r?\n[ \t]|[\0-\x1f\x7f]|\xc2[\x80-\x9f]/

describe('the twin of a value', () => {
  it('is altered alike, in the same field and route, from what nobody was issued', () => {
    fc.assert(
      fc.property(anyCredential, anyCredential, fc.integer(), (apiKey, secretKey, seed) => {
        const material = materialOf(apiKey, secretKey)
        for (const { fuzzed } of casesOf(oddValueKinds(material), 60, seed)) {
          if (fuzzed.twin === undefined) continue
          const request = requestOf(material, fuzzed)
          const twin = fuzzed.twin(baseOf(material, fuzzed))
          const changed = request.fields.filter(
            (field, at) => valueOf(field) !== valueOf(twin.fields[at] ?? field),
          )

          expect(twin.target).toBe(request.target)
          expect(twin.route).toBe(request.route)
          expect(changed).toHaveLength(1)
          const [name = ''] = changed.map((field) => field.name)
          const [valid, invented] =
            name === 'x-api-key' ? [apiKey, material.wrongKey] : [secretKey, material.wrongSecret]
          const bare = (value: string): string => value.replace(broken, '')
          const [sent, instead] = [request, twin].map((one) => bare(fieldsOf(one, name).join()))
          expect([
            sent === valid || sent === valid.repeat(2),
            instead === invented || instead === invented.repeat(2),
          ]).toEqual([true, true])
        }
      }),
      { numRuns: 60 },
    )
  })

  it('is longer where the valid value has nothing to exchange', () => {
    const material = materialOf('----', '++++')
    const twins = casesOf(oddValueKinds(material), 100).flatMap(({ fuzzed }) =>
      fuzzed.twin === undefined ? [] : [fuzzed.twin(baseOf(material, fuzzed))],
    )

    expect(twins.length).toBeGreaterThan(5)
    for (const twin of twins) expect(twin.fields.map(valueOf).join()).toContain('0')
  })

  it('comes with every break and control character inside of a credential, and with nothing else', () => {
    const cases = casesOf(
      oddValueKinds(materialOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk-Vb93mQx7_Lw20ZpTd')),
      2_000,
    )
    const isInside = (says: string): boolean =>
      says.startsWith('TARGET_') && /(?:a bare CR|a fold \(|U\+00).* after character/.test(says)
    const inside = cases.filter(({ name, fuzzed }) => !name.includes('-at-end') && isInside(fuzzed.says))

    expect(inside.length).toBeGreaterThan(50)
    expect(cases.filter(({ fuzzed }) => fuzzed.twin !== undefined)).toEqual(inside)
  })
})
