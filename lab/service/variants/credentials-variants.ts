import type { Variant } from '../../../lib/serve/reference/variant.ts'
import { reading } from './variant-of.ts'

/** How credentials are looked up, and how blank ones count. */
export const credentialVariants: readonly Variant[] = [
  reading(
    'credentials-looked-up-as-a-pair',
    'Key and secret are looked up together: two that do not belong together have no customer.',
    { looksUp: 'the pair' },
  ),
  reading(
    'credentials-looked-up-each-by-itself',
    "A secret that is nobody's is refused as such, whatever the key.",
    { looksUp: 'each', order: () => secretFirst },
  ),
  reading('blank-credentials-invalid', 'A key or secret that is blank is called invalid, not missing.', {
    blankCredential: 'invalid',
  }),
  reading('blank-credentials-invalid-pair', 'Blank credentials are looked up as a pair like any others.', {
    blankCredential: 'invalid',
    looksUp: 'the pair',
  }),
  reading(
    'unicode-space-around-credentials-ignored',
    'White space of any alphabet around a credential is stripped, as trim() in many languages does.',
    { same: (issued, sent) => issued === utf8(sent).trim() },
  ),
  {
    ...reading(
      'latin-1-space-behind-credentials-ignored',
      'The byte a0 behind a credential is stripped, as by Tornado and Waitress.',
      { same: (issued, sent) => issued === sent.replace(/(?<=[ -~])\xa0$/, '') },
    ),
    warns: ['fuzz/headers'],
  },
]

const secretFirst = [
  'host',
  'secret-key-present',
  'secret-key-valid',
  'api-key-present',
  'version-present',
  'api-key-valid',
  'customer',
  'endpoint-in-version',
  'endpoint-active',
  'permitted',
  'input',
  'quota',
] as const

/** Node gives the bytes of a field as characters. */
function utf8(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
