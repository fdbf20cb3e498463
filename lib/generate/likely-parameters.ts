import fc, { type Arbitrary } from 'fast-check'

/**
 * Names that parameters of a list often have; they shrink to the first. None chooses another format or method: what such a
 * parameter does is beyond what is shown.
 */
export const likelyNames = [
  'limit',
  'page',
  'offset',
  'size',
  'sort',
  'order',
  'filter',
  'q',
  'id',
  'search',
  'fields',
  'since',
] as const

/** One of the likely names. */
export const likelyName: Arbitrary<string> = fc.constantFrom(...likelyNames)

/**
 * Numbers at and beyond what programs count with, and what looks like a number; most telling first. None is among the very
 * few that firewalls know by heart (2147483647, 2147483648, 4294967296, 1e309, …): their neighbours tell the same.
 */
export const numbers = [
  '2147483649',
  '-1',
  '9007199254740993',
  '1e310',
  'NaN',
  '0',
  '18446744073709551616',
  '0x10',
  '\uFF11\uFF12',
  '1_000',
  '1',
  '2147483646',
  '-2147483650',
  '4294967297',
  '9007199254740991',
  '9223372036854775808',
  '1,000',
  '1e3',
  '1.5',
  '-0',
  '+1',
  '01',
  'Infinity',
  '\u0661\u0662',
] as const

/** Numbers for the names under which programs count and search with them, most telling first. */
export const tellingNumbers = [
  { name: 'limit', value: '-1' },
  { name: 'page', value: '-1' },
  { name: 'limit', value: '9007199254740993' },
  { name: 'offset', value: '1e310' },
  { name: 'page', value: '0' },
  { name: 'offset', value: '-1' },
  { name: 'limit', value: '2147483649' },
  { name: 'q', value: 'NaN' },
] as const

/** A value of a parameter, and how it is said. */
export interface Text {
  readonly text: string
  readonly says: string
  /** Whether a firewall may refuse it by itself. */
  readonly transportMayRefuse?: true
}

/** Texts that programs trip over, most telling first. */
export const texts: readonly Text[] = [
  said("'"),
  { text: 'a'.repeat(1_000), says: '1,000 characters' },
  { text: '', says: 'nothing' },
  said('%'),
  said('\u{1F3A8}'),
  said('"'),
  said('\\'),
  said('null'),
  said('[]'),
  said('{}'),
  said('\u00E9\u4F60\u0639'),
  { text: 'e\u0301', says: 'e and U+0301' },
  { text: '\u200B', says: 'U+200B' },
  { text: '\uFEFF', says: 'U+FEFF' },
  { text: ' ', says: 'a space' },
  ...['undefined', 'true', '*', '&', '=', '+', '#', ';', ',', '<', '|'].map(said),
]

/** Names of parameters that programs trip over, most telling first. */
export const oddNames: readonly Text[] = [
  { ...said('__proto__'), transportMayRefuse: true },
  { text: '', says: 'no name' },
  said('a[]'),
  said('constructor'),
  said('zzunknown'),
  said('a[b]'),
  said('a.b'),
  said('LIMIT'),
  said('Page'),
  said('toString'),
  said('hasOwnProperty'),
  said('a[0]'),
  said('[]'),
  said('a b'),
  said('\u00E9'),
  said('$'),
  ...['SORT', 'Filter', 'Q', 'ID'].map(said),
]

function said(text: string): Text {
  return { text, says: text }
}
