import { credentialFields, inFields, known, type CredentialField, type Shows } from './wire-class.ts'

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
export const nearMiss = { name: 'near miss', examples: inFields(credentialFields, nearMisses) }
