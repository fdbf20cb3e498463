import { requiredFields } from '../../lib/specification/endpoints.ts'
import { characterClasses } from './characters.ts'
import {
  credentialFields,
  inFields,
  known,
  type Shows,
  type WireClass,
  linesOf,
  type Seen,
  type CredentialField,
} from './classes.ts'

/** Whether one character less makes the second text of the first; which one is said to `fits`. */
function lacksOne(longer: string, shorter: string, fits: (at: number) => boolean = () => true): boolean {
  return (
    longer.length === shorter.length + 1 &&
    Array.from(longer).some((_, at) => fits(at) && longer.slice(0, at) + longer.slice(at + 1) === shorter)
  )
}

function differing(text: string, valid: string): readonly number[] {
  return Array.from(valid, (_, at) => at).filter((at) => text[at] !== valid[at])
}

function other(field: string): CredentialField {
  return field === 'x-api-key' ? 'x-secret-key' : 'x-api-key'
}

const nearMisses: Readonly<Record<string, Shows>> = {
  'one character changed': ({ arrived }, valid) => {
    const [at = -1, ...more] = differing(arrived, valid)
    const isOther = arrived[at]?.toLowerCase() !== valid[at]?.toLowerCase()
    return arrived.length === valid.length && more.length === 0 && isOther && /[!-~]/.test(arrived[at] ?? '')
  },
  'one character dropped': ({ arrived }, valid) =>
    lacksOne(valid, arrived, (at) => at > 0 && at < valid.length - 1),
  'one character added': ({ arrived }, valid) =>
    lacksOne(arrived, valid, (at) => /\w/.test(arrived[at] ?? '') && arrived[at] !== arrived[at - 1]),
  'one character doubled': ({ arrived }, valid) =>
    lacksOne(arrived, valid, (at) => arrived[at] === arrived[at - 1]),
  'neighbours exchanged': ({ arrived }, valid) => {
    const [at = -1, next, ...more] = differing(arrived, valid)
    const turned = arrived[at] === valid[at + 1] && arrived[at + 1] === valid[at]
    return arrived.length === valid.length && next === at + 1 && more.length === 0 && turned
  },
  'a prefix': ({ arrived }, valid) =>
    arrived !== '' && arrived.length < valid.length && valid.startsWith(arrived),
  'a suffix': ({ arrived }, valid) =>
    arrived !== '' && arrived.length < valid.length && valid.endsWith(arrived),
  reversed: ({ arrived }, valid) => arrived === Array.from(valid).toReversed().join(''),
  'the case of one letter flipped': ({ arrived }, valid) =>
    arrived.toLowerCase() === valid.toLowerCase() && differing(arrived, valid).length === 1,
  'the case of all letters flipped': ({ arrived }, valid) =>
    arrived.toLowerCase() === valid.toLowerCase() &&
    differing(arrived, valid).length === valid.replaceAll(/[^a-z]/gi, '').length,
  'the other credential': ({ arrived }, _, field) => arrived === known[other(field)].valid,
  "another client's": ({ arrived }, _, field) => arrived === known[field].anothers,
  'in double quotes': ({ arrived }, valid) => arrived === `"${valid}"`,
  'in single quotes': ({ arrived }, valid) => arrived === `'${valid}'`,
  'percent-encoded': ({ arrived }, valid) =>
    /^(?:%[0-9a-f]{2})+$/i.test(arrived) && decodeURIComponent(arrived) === valid,
  'in base64': ({ arrived }, valid) => arrived === btoa(valid),
  'Bearer before it': ({ arrived }, valid) => arrived === `Bearer ${valid}`,
  'a comma after it': ({ arrived }, valid) => arrived === `${valid},`,
  'a semicolon after it': ({ arrived }, valid) => arrived === `${valid};`,
}

/** The class of values that nearly equal a credential. */
const nearMiss = { name: 'near miss', examples: inFields(credentialFields, nearMisses) }

const states = ['valid', 'absent', 'blank', 'wrong'] as const

function cellOf({ values }: Seen): string {
  return requiredFields
    .map((field) => {
      const arrived = values[field]?.arrived
      if (arrived === undefined) return 'absent'
      return arrived === '' ? 'blank' : arrived === known[field].valid ? 'valid' : 'wrong'
    })
    .join(', ')
}

const cells = states.flatMap((key) =>
  states.flatMap((secret) => states.map((version) => `${key}, ${secret}, ${version}`)),
)

const presence: WireClass = {
  name: 'presence',
  examples: [
    ...requiredFields.map((field) => ({
      says: `${field}: absent`,
      isIn: (seen: Seen) => linesOf(seen, field).length === 0,
    })),
    ...inFields(requiredFields, {
      empty: ({ raw }) => raw === '',
      'only SP': ({ raw }) => /^ +$/.test(raw),
      'only HTAB': ({ raw }) => /^\t+$/.test(raw),
    }),
    ...cells.map((cell) => ({ says: `the cell ${cell}`, isIn: (seen: Seen) => cellOf(seen) === cell })),
  ],
}

function equal(values: readonly string[]): Readonly<Record<string, Shows>> {
  return Object.fromEntries(values.map((value) => [value, ({ arrived }) => arrived === value]))
}

const literals: WireClass = {
  name: 'literals',
  examples: inFields(
    credentialFields,
    equal(['null', 'undefined', 'None', 'NaN', 'true', '0', '-1', '[]', '{}', '*', '%']),
  ),
}

const whiteSpace: WireClass = {
  name: 'white space',
  examples: [
    ...inFields(requiredFields, {
      'SP before the valid value': ({ raw, arrived }, valid) => raw.startsWith(' ') && arrived === valid,
      'HTAB before the valid value': ({ raw, arrived }, valid) => raw.startsWith('\t') && arrived === valid,
      'SP after the valid value': ({ raw, arrived }, valid) => raw.endsWith(' ') && arrived === valid,
      'HTAB after the valid value': ({ raw, arrived }, valid) => raw.endsWith('\t') && arrived === valid,
    }),
    ...inFields(credentialFields, {
      'SP inside': ({ raw }, valid) => raw !== valid && raw.replace(/(?<=\w) +(?=\w)/, '') === valid,
      'HTAB inside': ({ raw }, valid) => raw !== valid && raw.replace(/(?<=\w)\t+(?=\w)/, '') === valid,
    }),
  ],
}

function ofSize(size: number): Shows {
  return ({ raw }) => raw.length === size && new Set(raw).size === 1
}

function ofSizes(sizes: readonly number[]): Readonly<Record<string, Shows>> {
  return Object.fromEntries(sizes.map((size) => [`${size} bytes`, ofSize(size)]))
}

const size: WireClass = {
  name: 'size',
  examples: [
    ...inFields(credentialFields, {
      'n-1': (value, valid, field) => ofSize(valid.length - 1)(value, valid, field),
      'n+1': (value, valid, field) => ofSize(valid.length + 1)(value, valid, field),
    }),
    ...inFields(
      requiredFields,
      ofSizes([255, 256, 1_024, 2_000, 4_096, 8_190, 8_191, 8_192, 8_193, 16_384, 65_536]),
    ),
  ],
}

function lone(sign: RegExp): Shows {
  return ({ arrived }, valid) => arrived !== valid && arrived.replace(sign, '') === valid
}

const injection: WireClass = {
  name: 'injection',
  examples: inFields(requiredFields, {
    'a lone quote': lone(/['"]/),
    'a lone percent sign': lone(/%(?![0-9a-f]{2})/i),
    'a lone backslash': lone(/\\/),
    'a tautology of SQL': ({ raw }) => /' or '1'='1/.test(raw),
    'an operator of NoSQL': ({ raw }) => /\{"\$ne":/.test(raw),
    'a wildcard of LDAP': ({ raw }) => /\*\)\(/.test(raw),
    'template arithmetic': ({ raw }) => /\{\{\d\*\d\}\}/.test(raw),
    'path traversal': ({ raw }) => /(?:\.\.\/){2}/.test(raw),
    '%0d%0a': ({ raw }) => raw.includes('%0d%0a'),
    markup: ({ raw }) => /<b>/.test(raw),
  }),
}

const versions: WireClass = {
  name: 'versions',
  examples: inFields(['x-version'], {
    ...equal(['0', '-1', '2', '2147483648', '4294967297', '9007199254740993', '18446744073709551617']),
    'random nine digits': ({ raw }) => /^\d{9}$/.test(raw),
    '10 to the power of 309': ({ raw }) => raw === `1${'0'.repeat(309)}`,
    ...equal(['abc', 'v1', '1.5', '1,2', '1abc', '01', '+1', '1.0', '0x1', '1e0']),
    'full-width 1': ({ raw }) => raw === '\xef\xbc\x91',
    'Arabic-Indic 1': ({ raw }) => raw === '\xd9\xa1',
  }),
}

const stores: WireClass = {
  name: 'stores and caches',
  examples: [
    ...inFields(['x-secret-key'], {
      'a look-alike': ({ arrived }, valid) =>
        arrived !== valid &&
        [arrived, valid]
          .map((one) => one.replaceAll(/[Il]/g, '1').replaceAll('O', '0'))
          .every((one, _, [first]) => one === first),
    }),
    ...inFields(credentialFields, {
      '_ for one character': ({ arrived }, valid) =>
        arrived.length === valid.length &&
        Array.from(valid).filter((one, at) => arrived[at] !== one).length === 1 &&
        Array.from(valid).some((one, at) => arrived[at] === '_' && one !== '_'),
      '% for its end': ({ arrived }, valid) => arrived === `${valid.slice(0, -3)}%`,
      'its separator exchanged': ({ arrived }, valid) => arrived === valid.replace(/[-.]/, '_'),
      'its separator dropped': ({ arrived }, valid) => arrived === valid.replace(/[-.]/, ''),
      'a character that another normal form makes its own': ({ text }, valid) =>
        text !== null && text !== valid && /[\u212a\u017f]/.test(text) && text.length === valid.length,
      'full width': ({ text }, valid) =>
        text !== valid && text?.normalize('NFKC') === valid && !/[!-~]/.test(text),
    }),
  ],
}

/** The catalogue's classes of header values. */
export const valueClasses: readonly WireClass[] = [
  presence,
  nearMiss,
  literals,
  whiteSpace,
  stores,
  ...characterClasses,
  size,
  injection,
  versions,
]
