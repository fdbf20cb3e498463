import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { finderOf } from '../../tests/leaks/finder.ts'
import { spellings } from '../../tests/leaks/spellings.ts'
import { redactorFor } from './redact.ts'
import { Secret } from './secret.ts'

/** What the settings let through: visible ASCII, with spaces between. Where it repeats itself, what is left on two sides of a mask reads as one. */
const credential = fc
  .string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 10,
    maxLength: 44,
  })
  .filter((text) => text.trim() === text && text.replaceAll(/[^A-Za-z0-9]/g, '').length >= 10)
  .filter((text) => new Set(text.toLowerCase()).size > text.length * 0.7)
const around = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.json(),
  fc.base64String({ maxLength: 40 }),
  fc.webUrl(),
  fc.string({ maxLength: 30 }),
)

/** What nobody undoes by accident: it would cost a pass over every text, for an echo that somebody must have meant to hide. */
const notPromised: readonly string[] = ['in base64, reversed after']

test.for(Object.keys(spellings).filter((name) => !notPromised.includes(name)))(
  'what the redactor leaves of a credential %s, the searcher does not find',
  (name) => {
    const spell = spellings[name] ?? String
    fc.assert(
      fc.property(credential, around, around, (value, before, after) => {
        const text = `${before} ${String(spell(value))} ${after}`

        expect(finderOf([value])(Buffer.from(redactorFor([new Secret('KEY', value)]).redact(text)))).toEqual(
          [],
        )
      }),
      { numRuns: 15 },
    )
  },
)
