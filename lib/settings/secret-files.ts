import { resolve } from 'node:path'
import { Collected, issue, parsed, type Parsed } from './issue.ts'
import { settingTable, type SettingName } from './setting-table.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

type Variables = Readonly<Record<string, string | undefined>>

const secretNames = settingTable.filter(({ secret }) => secret).map(({ name }) => name)

/** Name of the variable that points to a secret's file. */
export function fileVariable(name: SettingName): string {
  return `${name}_FILE`
}

/** The secret whose file a variable names, or null. */
export function secretOfFile(name: string): SettingName | null {
  return secretNames.find((secret) => fileVariable(secret) === name) ?? null
}

/**
 * Returns a source of settings with secrets read from files, as named by variables such as `TARGET_API_KEY_FILE`, because container
 * platforms mount secrets as files. Drops the line ending after a secret.
 */
export async function withSecretFiles(source: Variables, cwd: string): Promise<Parsed<Variables>> {
  const found = new Collected()
  const whole: Record<string, string | undefined> = { ...source }
  for (const name of secretNames) {
    const path = source[fileVariable(name)]?.trim() ?? ''
    if (path !== '') whole[name] = found.take(await readSecret(name, path, { source, cwd }))
  }
  return { value: whole, issues: found.issues }
}

async function readSecret(
  name: SettingName,
  path: string,
  { source, cwd }: { readonly source: Variables; readonly cwd: string },
): Promise<Parsed<string | undefined>> {
  const mistake = (given: string, expected: string) =>
    parsed(source[name], issue(fileVariable(name), { given, expected }))
  if ((source[name] ?? '').trim() !== '') return mistake(path, `${name} or ${fileVariable(name)}, not both`)
  const { text, why } = await readTextFile(resolve(cwd, path), sizeLimits.lines)
  const value = text?.replace(/\r?\n$/, '') ?? ''
  if (value.trim() !== '') return parsed(value)
  return mistake(
    `${path} (${why ?? 'an empty file'})`,
    `a readable text file that contains only the value of ${name}`,
  )
}
