import { parse } from 'dotenv'
import { settingTable, type SettingName, type Texts } from '../../settings/setting-table.ts'

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

/** An env file with these settings; those that are asked for stand there empty if nobody gave them. Values must be {@link isWritable}. */
export function envText(given: Texts, asked: readonly SettingName[], example: string): string {
  const lines = settingTable.flatMap(({ name }) => {
    const value = given[name] ?? (asked.includes(name) ? '' : undefined)
    return value === undefined ? [] : [`${name}=${dotenvValue(value)}\n`]
  })
  return `# Settings of card-switch-conformance. All others are in ${example}, with what they mean.\n${lines.join('')}`
}
