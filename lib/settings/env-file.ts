import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'

import { parse } from 'dotenv'

import { sizeLimits } from './bounded-file.ts'
import type { Mistake, Part } from './mistake.ts'
import { settingNamed } from './setting-table.ts'
import { readTextFile, whyNot, type TextFile } from './text-file.ts'

/** The variables of an env file. */
export interface EnvFile {
  /** Absolute. */
  readonly path: string
  /** `left-out`: there, but a pipeline reads only a file that was named. */
  readonly state: 'read' | 'missing' | 'unreadable' | 'left-out'
  readonly variables: Readonly<Record<string, string>>
}

/** Which env file is meant. */
export interface EnvFileInput {
  /** What `--env-file` names; null is `.env` in the working folder, which may be missing. */
  readonly named: string | null
  readonly cwd: string
  /** Whether a pipeline runs the program. A pull request could add a `.env` and aim the pipeline elsewhere. */
  readonly pipeline: boolean
}

/** Reads the file that `--env-file` names, or `.env` in the working folder. */
export async function readEnvFile({ named, cwd, pipeline }: EnvFileInput): Promise<Part<EnvFile>> {
  const path = resolve(cwd, named ?? '.env')
  if (named === null && pipeline) {
    const state = (await isThere(path)) ? 'left-out' : 'missing'
    return { value: { path, state, variables: {} }, mistakes: [] }
  }
  const file = withoutGaps(await readTextFile(path, sizeLimits.lines))
  if (file.kind === 'text') {
    const variables = parse(file.text)
    return { value: { path, state: 'read', variables }, mistakes: cutShort(file.text) }
  }
  if (file.kind === 'missing' && named === null) {
    return { value: { path, state: 'missing', variables: {} }, mistakes: [] }
  }

  const mistake = {
    setting: named === null ? '.env' : '--env-file',
    given: `${named ?? '.env'} (${whyNot(file)})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint: named === null ? 'settings are read from .env in the working folder; rename what is there' : null,
  }
  return { value: { path, state: 'unreadable', variables: {} }, mistakes: [mistake] }
}

/** What the user should know of an env file that is not read; `instead` says what to do. */
export function envFileNotices({ state }: Pick<EnvFile, 'state'>, instead: string): readonly string[] {
  return state === 'left-out'
    ? [`CI is set, so .env in this folder is not read, since a pull request could change it; ${instead}`]
    : []
}

/** From each empty line on, a parser of env files looks for the next setting: a hundred thousand of them would take a minute. */
function withoutGaps(file: TextFile): TextFile {
  const hasGap = file.kind === 'text' && file.text.split(/\S+/).some((gap) => gap.length > longestGap)
  const why = `a file with more than ${longestGap} white-space characters in a row, so it is no env file`
  return hasGap ? { kind: 'unreadable', why } : file
}

const longestGap = 1_000

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
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
