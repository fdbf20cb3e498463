import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { whyNotRaw } from '../http/sendable.ts'
import { type Request, valueOf } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { allowed } from '../judge/allowed.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { success } from '../specification/answers.ts'
import type { Drawn } from './case-schedule.ts'
import type { GeneratorInput } from './case-class.ts'
import { anyCredential, arrivedIn } from './testing/credentials.ts'
import { baseOf, casesOf, inGate, inputOf, knownOf, requestOf } from './testing/requests.ts'
import { controlCharacters } from './unicode.ts'
import { oddValueClasses } from './case-classes.ts'
import { fieldsOf } from '../http/request.ts'

const plainInput = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk-Vb93mQx7_Lw20ZpTd')
const cases = casesOf(oddValueClasses(plainInput), 3_000)

function check(holds: (drawn: Drawn, request: Request, input: GeneratorInput) => void): void {
  fc.assert(
    fc.property(
      anyCredential,
      anyCredential,
      fc.constantFrom('1', '0', '12', '2147483647'),
      fc.integer(),
      (apiKey, secretKey, servedVersion, seed) => {
        const input = inputOf(apiKey, secretKey, { servedVersion, unsupportedVersion: '2147483646' })
        for (const drawn of casesOf(oddValueClasses(input), 60, seed)) {
          holds(drawn, requestOf(input, drawn.mutated), input)
        }
      },
    ),
  )
}

function isOfVersion({ name }: Drawn): boolean {
  return name.startsWith('version-')
}

function isBehindKey({ name }: Drawn): boolean {
  return name.startsWith('byte-behind-key')
}

describe('odd values', () => {
  it('take the raw socket exactly where a control character other than a tab is in them', () => {
    check((drawn, request) => {
      if (isBehindKey(drawn)) return
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      const isControlled = request.fields.some((field) => /[\0-\x08\x0a-\x1f\x7f]/.test(valueOf(field)))
      expect(request.route).toBe(isControlled ? 'raw' : undefined)
    })
  })

  it('go to an unknown path, where the transport may refuse them, but for versions that every client sends', () => {
    check((drawn) => {
      expect(drawn.mutated.toUnknownPath === true).toBe(!isOfVersion(drawn) && !isBehindKey(drawn))
      if (!isOfVersion(drawn)) expect(drawn.mutated.transportMayRefuse).toBe(true)
    })
  })

  it('are never served', () => {
    check((drawn, request, input) => {
      expect(allowed(knownOf(request, input)).includes(success)).toBe(false)
    })
  })

  it('change one value, and are a secret where they are made from one', () => {
    check((drawn, request, input) => {
      const before = requestOf(input, { ...drawn.mutated, apply: (one) => one })
      const changed = request.fields.filter((field, at) => field.value !== before.fields[at]?.value)
      expect(changed).toHaveLength(1)
      const [field] = changed
      const isInvented = /^(?:version-|oversized)/.test(drawn.name) || field?.name === 'x-version'
      expect(field?.value instanceof Secret).toBe(!isInvented)
    })
  })

  it('can be written by the raw socket: no line break ends one, hides a field or leaves an empty line', () => {
    check((_, request) => {
      if (request.route === 'raw') expect(whyNotRaw(request)).toBeNull()
      for (const field of request.fields) expect(valueOf(field)).not.toMatch(/[\r\n][ \t]*$/)
    })
  })

  it('hold one control character, or one line break', () => {
    for (const drawn of cases) {
      if (!/^(?:control|line)/.test(drawn.name)) continue
      const value = requestOf(plainInput, drawn.mutated).fields.map(valueOf).join('')
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(value.match(/\r?\n[ \t]|[\0-\x1f\x7f]|\xc2[\x80-\x9f]/g)).toHaveLength(1)
    }
  })
})

describe('a byte behind the key', () => {
  it('goes to the real path on the raw socket and alone, with a query that no cache knows, and never behind a secret', () => {
    const classes = oddValueClasses(plainInput).filter(({ name }) => name === 'byte-behind-key')
    const drawn = casesOf(classes, 2)
    const requests = drawn.map(({ mutated }) => requestOf(plainInput, mutated))

    expect(drawn.map(({ mutated }) => [mutated.connection, mutated.mayBeStripped])).toEqual([
      ['fresh', true],
      ['fresh', undefined],
    ])
    for (const { route, target } of requests) {
      expect(route).toBe('raw')
      expect(target).toMatch(/^\/api\/customizations\/list\?_=zz[a-z]{14}$/)
    }
    expect(requests.flatMap((request) => fieldsOf(request, 'x-api-key'))).toEqual([
      'ak_live_7Qm2vXk1Rb84TzNe\xa0',
      'ak_live_7Qm2vXk1Rb84TzNe\0x',
    ])
    expect(new Set(requests.flatMap((request) => fieldsOf(request, 'x-secret-key'))).size).toBe(1)
  })
})

describe('every class of the catalogue', () => {
  const said = (drawn: readonly Drawn[]): readonly string[] => drawn.map(({ mutated }) => mutated.says)

  it('comes for every field', () => {
    for (const caseClass of ['control-character', 'control-character-at-end', 'line-break', 'oversized']) {
      const ofClass = said(cases.filter(({ name }) => name.startsWith(`${caseClass}.`)))
      for (const field of [
        /^TARGET_API_KEY |^x-api-key /,
        /^TARGET_SECRET_KEY |^x-secret-key /,
        /^x-version /,
      ]) {
        expect(ofClass.some((one) => field.test(one))).toBe(true)
      }
    }
  })

  it('comes with every control character in the first round', () => {
    const inside = said(cases.filter(({ name }) => name.startsWith('control-character.')))
    for (const { says } of controlCharacters) {
      expect(inside.slice(0, controlCharacters.length).some((one) => one.includes(says))).toBe(true)
    }
  })

  it('is sent by a gate, but whole injection strings and what is only observed', () => {
    const classList = oddValueClasses(plainInput)
    const sent = inGate('fuzz/headers', classList)
    const names = sent.map(({ name }) => name)

    expect(classList.map(({ name }) => name).filter((name) => !names.includes(name))).toEqual([
      'version-injection',
      'control-character-at-end',
      'byte-behind-key',
    ])
    expect(sent.reduce((sum, { weight }) => sum + weight, 0)).toBe(8)
  })
})

describe('how an odd value is judged', () => {
  it('is by the oracle, but where a service may strip it off the ends', () => {
    for (const { name, mutated } of cases) {
      expect(mutated.treatment, name).toBe(
        name.startsWith('control-character-at-end') ? 'observed' : 'oracle',
      )
    }
  })

  it('says at which size it is refused', () => {
    for (const { name, mutated } of cases) {
      if (!name.startsWith('oversized')) expect(mutated.observe).toBe(undefined)
      else expect(mutated.observe).toEqual({ id: 'value-size', as: mutated.says })
    }
  })

  it('needs no T where a version is of ASCII and of a usual size', () => {
    for (const drawn of cases) {
      if (!isOfVersion(drawn) || drawn.name.startsWith('version-injection')) continue
      const isAscii = /^[\x20-\x7e]*$/.test(arrivedIn('x-version', plainInput, drawn) ?? '')
      expect(drawn.mutated.transportMayRefuse).toBe(!isAscii)
    }
  })

  it('counts every other field as it is', () => {
    for (const { mutated } of cases) {
      const names = requestOf(plainInput, mutated).fields.map(({ name }) => name)
      for (const name of requiredFields) expect(names.filter((one) => one === name)).toHaveLength(1)
    }
  })
})

/** A line break, or a control character. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const broken = /\r?\n[ \t]|[\0-\x1f\x7f]|\xc2[\x80-\x9f]/

describe('the paired request of a value', () => {
  it('is altered alike, in the same field and route, from what nobody was issued', () => {
    fc.assert(
      fc.property(anyCredential, anyCredential, fc.integer(), (apiKey, secretKey, seed) => {
        const input = inputOf(apiKey, secretKey)
        for (const { mutated } of casesOf(oddValueClasses(input), 60, seed)) {
          if (mutated.pairedRequest === undefined) continue
          const request = requestOf(input, mutated)
          const pairedRequest = mutated.pairedRequest.apply(baseOf(input, mutated))
          const changed = request.fields.filter(
            (field, at) => valueOf(field) !== valueOf(pairedRequest.fields[at] ?? field),
          )

          expect(pairedRequest.target).toBe(request.target)
          expect(pairedRequest.route).toBe(request.route)
          expect(changed).toHaveLength(1)
          const [name = ''] = changed.map((field) => field.name)
          const [valid, invented] =
            name === 'x-api-key' ? [apiKey, input.wrongKey] : [secretKey, input.wrongSecret]
          const bare = (value: string): string => value.replace(broken, '')
          const [sent, instead] = [request, pairedRequest].map((one) => bare(fieldsOf(one, name).join()))
          expect([
            sent === valid || sent === valid.repeat(2),
            instead === invented || instead === invented.repeat(2),
          ]).toEqual([true, true])
        }
      }),
      { numRuns: 20 },
    )
  })

  it('is longer where the valid value has nothing to exchange', () => {
    const input = inputOf('----', '++++')
    const paired = casesOf(oddValueClasses(input), 100).flatMap(({ mutated }) =>
      mutated.pairedRequest === undefined ? [] : [mutated.pairedRequest.apply(baseOf(input, mutated))],
    )

    expect(paired.length).toBeGreaterThan(5)
    for (const pairedRequest of paired) expect(pairedRequest.fields.map(valueOf).join()).toContain('0')
  })

  it('comes with every break and control character inside of a credential, and with nothing else', () => {
    const drawn = casesOf(oddValueClasses(inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk-Vb93mQx7_Lw20ZpTd')), 2_000)
    const isInside = (says: string): boolean =>
      says.startsWith('TARGET_') && /(?:a bare CR|a fold \(|U\+00).* after character/.test(says)
    const inside = drawn.filter(({ name, mutated }) => !name.includes('-at-end') && isInside(mutated.says))

    expect(inside.length).toBeGreaterThan(50)
    expect(drawn.filter(({ mutated }) => mutated.pairedRequest !== undefined)).toEqual(inside)
  })
})
