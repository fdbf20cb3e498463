import { parse } from 'dotenv'
import type { Texts } from '../../settings/setting-table.ts'

/** Quotes a value for dotenv if it holds more than plain characters. */
export function dotenvValue(value: string): string {
  if (/^[\w\-.:/=+]*$/.test(value)) return value
  const quote = ["'", '`', '"'].find((one) => !value.includes(one)) ?? "'"
  return `${quote}${value}${quote}`
}

/** Whether an env file can hold a value so that it is read again. */
export function isWritable(value: string): boolean {
  return parse(`NAME=${dotenvValue(value)}`)['NAME'] === value
}

/** Comment above a prepared setting. */
const aboutPrepared = `# Active without the # at its beginning, and for runs in this folder only: a pipeline does not read .env, and needs this in the
# environment of its own.`

/**
 * An env file with these settings: the example of the package, filled in. `prepared` become comments that a user makes active.
 * Values must be {@link isWritable}.
 */
export function envText(example: string, given: Texts, prepared: Texts): string {
  return example
    .replace(
      /^# Copy this file to .*\n/,
      '# Settings of card-switch-conformance. docs/settings.md in the package explains them.\n',
    )
    .replaceAll(/^(\w+)=""$/gm, (line, name: string) => {
      const [value, later] = [valueOf(given, name), valueOf(prepared, name)]
      if (value !== null) return `${name}=${dotenvValue(value)}`
      return later === null ? line : `${aboutPrepared}\n# ${name}=${dotenvValue(later)}`
    })
}

function valueOf(texts: Texts, name: string): string | null {
  return new Map(Object.entries(texts)).get(name) ?? null
}
