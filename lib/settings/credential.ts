import { controlIn, type Mistake } from './mistake.ts'

/** The longest credential; header fields beyond this are refused by common servers. */
const longest = 4_096

interface Violation {
  readonly expected: string
  /** How the value is described, since it is never shown; null where it does not have this violation. */
  readonly describe: (value: string) => string | null
  readonly hint: string
}

const violations: readonly Violation[] = [
  {
    expected: 'a value without line breaks',
    describe: (value) => at(value.search(/[\r\n]/), 'a line break'),
    hint: 'a secret read from a file often ends in a line break; paste the value alone',
  },
  {
    expected: 'a value without control characters',
    describe: (value) => at(controlIn(value.replaceAll(/[\r\n]/g, ' ')), 'a control character'),
    hint: 'copy the value again; a tab or a terminal escape came along',
  },
  {
    expected: 'visible ASCII characters, with or without spaces between them',
    describe: (value) => at(value.search(/[^\0-\u009f]/), 'a character outside ASCII'),
    hint: 'copy the value again; typographic quotes and non-breaking spaces come from word processors',
  },
  {
    expected: 'a value without white space before or after it',
    describe: (value) =>
      at(value.startsWith(' ') ? 0 : value.endsWith(' ') ? value.length - 1 : -1, 'white space'),
    hint: 'HTTP strips white space around a header value, so the service would see another one',
  },
  {
    expected: `at most ${longest} characters`,
    describe: (value) => (value.length > longest ? '' : null),
    hint: 'this looks like the content of a file rather than a key',
  },
]

/** What is wrong with a credential: one mistake for each violation, none of which shows the value. */
export function credentialMistakes(setting: string, value: string): readonly Mistake[] {
  return violations.flatMap(({ expected, describe, hint }) => {
    const description = describe(value)
    if (description === null) return []

    return [{ setting, given: `a value of ${value.length} characters${description}`, expected, hint }]
  })
}

function at(index: number, what: string): string | null {
  return index < 0 ? null : ` with ${what} at position ${index + 1}`
}
