import { resolve } from 'node:path'
import { issue, parsed, type Parsed } from './issue.ts'
import { settingTable, type SettingName } from './setting-table.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

type Variables = Readonly<Record<string, string | undefined>>

const secretNames = settingTable.filter(({ secret }) => secret).map(({ name }) => name)

/** The name of the variable that names the file of a secret. */
export function fileVariable(name: SettingName): string {
  return `${name}_FILE`
}

/** The secret of which a variable names the file, or null. */
export function secretOfFile(name: string): SettingName | null {
  return secretNames.find((secret) => fileVariable(secret) === name) ?? null
}

/**
 * A source of settings, with each secret of which it names a file, as `TARGET_API_KEY_FILE`: container platforms mount secrets as files.
 * A line end behind the secret is no part of it.
 */
export async function withSecretFiles(source: Variables, cwd: string): Promise<Parsed<Variables>> {
  const read = await Promise.all(
    secretNames.map(async (name) => readSecret(name, source[fileVariable(name)]?.trim() ?? '', source, cwd)),
  )
  const given = read.flatMap(({ value }) => (value === null ? [] : [value]))
  return { value: { ...source, ...Object.fromEntries(given) }, issues: read.flatMap(({ issues }) => issues) }
}

async function readSecret(
  name: SettingName,
  path: string,
  source: Variables,
  cwd: string,
): Promise<Parsed<readonly [SettingName, string] | null>> {
  if (path === '') return parsed(null)
  const mistake = (given: string, expected: string) =>
    parsed(null, issue(fileVariable(name), { given, expected }))

  if ((source[name] ?? '').trim() !== '') return mistake(path, `${name} or ${fileVariable(name)}, not both`)
  const file = await readTextFile(resolve(cwd, path), sizeLimits.lines)
  const expected = `a readable text file with the value of ${name} and nothing else`
  if (file.kind !== 'text') return mistake(`${path} (${file.why})`, expected)
  const text = file.text.replace(/\r?\n$/, '')
  return text.trim() === '' ? mistake(`${path} (an empty file)`, expected) : parsed([name, text])
}
