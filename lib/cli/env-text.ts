import { parse } from 'dotenv'
import type { Texts } from '../settings/setting-table.ts'

/** Quotes a value for dotenv if it holds more than plain characters. */
export function dotenvValue(value: string): string {
  if (/^[\w\-.:/=+]*$/.test(value)) return value
  const quote = ["'", '`', '"'].find((one) => !value.includes(one)) ?? "'"
  return `${quote}${value}${quote}`
}

/**
 * An env file with these settings: the example of the package, filled in. `prepared` become comments that a user makes active.
 * Null if a value cannot be written so that it is read again.
 */
export function envText(example: string, given: Texts, prepared: Texts): string | null {
  const text = example
    .replace(
      /^# Copy this file to .*\n/,
      '# Settings of card-switch-conformance. docs/settings.md in the package explains them.\n',
    )
    .replaceAll(/^(\w+)=""$/gm, (line, name: string) => {
      const [value, later] = [valueOf(given, name), valueOf(prepared, name)]
      if (value !== null) return `${name}=${dotenvValue(value)}`
      return later === null ? line : `# ${name}=${dotenvValue(later)}`
    })
  const read = parse(text)
  return Object.entries(given).every(([name, value]) => read[name] === value) ? text : null
}

function valueOf(texts: Texts, name: string): string | null {
  return new Map(Object.entries(texts)).get(name) ?? null
}
