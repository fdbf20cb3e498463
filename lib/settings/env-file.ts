import { resolve } from 'node:path'

import { parse } from 'dotenv'

import type { Mistake, Part } from './mistake.ts'
import { settingNamed } from './setting-table.ts'
import { readTextFile, whyNot } from './text-file.ts'

/** The variables of an env file. */
export interface EnvFile {
  readonly variables: Readonly<Record<string, string>>
  /** False where it is there but could not be read, so that nobody concludes that settings are missing. */
  readonly complete: boolean
}

/** Reads the file that `--env-file` names, or `.env` in the working folder, which may be missing. */
export async function readEnvFile(named: string | null, cwd: string): Promise<Part<EnvFile>> {
  const file = await readTextFile(resolve(cwd, named ?? '.env'))
  if (file.kind === 'text') {
    return { value: { variables: parse(file.text), complete: true }, mistakes: cutShort(file.text) }
  }
  if (file.kind === 'missing' && named === null) {
    return { value: { variables: {}, complete: true }, mistakes: [] }
  }

  const mistake = {
    setting: named === null ? '.env' : '--env-file',
    given: `${named ?? '.env'} (${whyNot(file)})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint: named === null ? 'settings are read from .env in the working folder; rename what is there' : null,
  }
  return { value: { variables: {}, complete: false }, mistakes: [mistake] }
}

// A value without quotes in which a # stands right after another character.
const unquotedHash = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=[^\S\r\n]*[^\s'"`#][^\r\n#]*(?<=[^\s#])#/gm

/** Settings of which dotenv would drop the end: without quotes a # begins a comment, also inside a key or an address. */
function cutShort(text: string): readonly Mistake[] {
  return [...text.matchAll(unquotedHash)]
    .map(([, name]) => name ?? '')
    .filter((name) => settingNamed(name) !== null)
    .map((name) => ({
      setting: name,
      given: null,
      expected: 'in an env file, quotes around a value that holds a #, or white space before a comment',
      hint: `without quotes everything from the # on is dropped; write ${name}='…'`,
    }))
}
