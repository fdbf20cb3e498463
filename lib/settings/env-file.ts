import { lstat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { issue, parsed, type Parsed, type SettingIssue } from './issue.ts'
import { pipelineOf } from './pipeline.ts'
import { secretOfFile } from './secret-files.ts'
import { settingNamed } from './setting-table.ts'
import { readTextFile, sizeLimits, type TextFile } from './user-file.ts'

/** An env file and its variables. */
export interface EnvFile {
  /** Absolute. */
  readonly path: string
  /** `left-out`: exists, but a pipeline reads only a named file. */
  readonly state: 'read' | 'missing' | 'unreadable' | 'left-out'
  /** What shows that this is a pipeline; null unless the file is left out. */
  readonly pipeline: string | null
  /** Whether it names own rules that are not loaded, since nobody named the file. */
  readonly refusesOwnRules: boolean
  /** Without those that are not read as they were meant. */
  readonly variables: Variables
  /** Settings that are not read as they were meant, with what the file holds for them. */
  readonly misread: Variables
}

type Variables = Readonly<Record<string, string>>

interface Wanted {
  /** File of `--settings-file`; null reads `.env`, if there is one. */
  readonly envFile: string | null
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Reads the file of `--settings-file`, or `.env` in the working folder. */
export async function readEnvFile({ envFile: named, cwd, env }: Wanted): Promise<Parsed<EnvFile>> {
  const path = resolve(cwd, named ?? '.env')
  const without = (state: EnvFile['state'], pipeline: string | null = null): EnvFile => ({
    path,
    state,
    pipeline,
    refusesOwnRules: false,
    variables: {},
    misread: {},
  })
  if (named === null) {
    const isThere = await lstat(path).then(
      () => true,
      () => false,
    )
    if (!isThere) return parsed(without('missing'))
    // A pull request could add a .env that points the pipeline elsewhere.
    const pipeline = pipelineOf(env)
    if (pipeline !== null) return parsed(without('left-out', pipeline))
  }
  const file = withoutGaps(await readTextFile(path, sizeLimits.lines))
  if (file.kind === 'text') {
    const { value, issues } = await parseEnv(file.text, named ?? '.env')
    // Own rules are code: a command in a folder of somebody else would run it.
    const { RUN_SUITES, ...others } = value.variables
    const refusesOwnRules = named === null && (RUN_SUITES ?? '').trim() !== ''
    const variables = refusesOwnRules ? others : value.variables
    return { value: { ...without('read'), ...value, variables, refusesOwnRules }, issues }
  }

  const isUnnamed = named?.trim() === ''
  const unread = issue(named === null ? '.env' : '--settings-file', {
    given: isUnnamed ? 'an empty value' : `${named ?? '.env'} (${file.why})`,
    expected: 'a readable text file (UTF-8) with lines such as TARGET_VERSION=1',
    hint: named === null ? 'settings are read from .env in the working folder; rename what is there' : null,
  })
  return parsed(without('unreadable'), unread)
}

/** The env parser searches for a setting from each empty line: a hundred thousand of them would take a minute. */
function withoutGaps(file: TextFile): TextFile {
  const hasGap = file.kind === 'text' && file.text.split(/\S+/).some((gap) => gap.length > longestGap)
  const why = `a file with more than ${longestGap} white-space characters in a row, so it is no env file`
  return hasGap ? { kind: 'unreadable', why } : file
}

const longestGap = 1_000

/** An assignment in an env file, exactly as dotenv's own expression finds it: it says where each stands. */
const assignment =
  /^\s*(?:export\s+)?(?<name>[\w.-]+)(?:\s*=\s*?|:\s+?)(?<value>\s*'(?:\\'|[^'])*'|\s*"(?:\\"|[^"])*"|\s*`(?:\\`|[^`])*`|[^#\r\n]+)?(?<gap>\s*)(?<comment>#.*)?$/dgm

/** Parses an env file as dotenv does; settings of ours that dotenv would read otherwise than they are meant are issues instead. */
export async function parseEnv(
  text: string,
  file: string,
): Promise<Parsed<Pick<EnvFile, 'variables' | 'misread'>>> {
  const { parse } = await import('dotenv')
  const read = parse(text)
  const found = misreadIn(text.replace(/\r\n?/g, '\n'))
  const misread = new Set(found.flatMap(({ name, others }) => [name, ...others]))
  const part = (isMisread: boolean): Variables =>
    Object.fromEntries(Object.entries(read).filter(([name]) => misread.has(name) === isMisread))
  const nothing = Object.fromEntries([...misread].map((name) => [name, '']))
  const issues = found.map(({ name, line, given, expected, hint }) =>
    issue(name, { given: `${given}, in line ${line} of ${file}`, expected, hint }),
  )
  return { value: { variables: part(false), misread: { ...nothing, ...part(true) } }, issues }
}

/** An assignment that is not read as it was meant, and the settings that are lost with it. */
interface Misread extends Pick<SettingIssue, 'given' | 'expected' | 'hint'> {
  readonly name: string
  readonly line: number
  readonly others: readonly string[]
}

function misreadIn(text: string): readonly Misread[] {
  return [...text.matchAll(assignment)].flatMap(({ groups = {}, indices }) => {
    const { name = '', value = '', gap = '', comment = '' } = groups
    if (settingNamed(name) === null && secretOfFile(name) === null) return []
    const wrong = openQuote(value.trim()) ?? (gap === '' && comment !== '' ? cutShort(name, value) : null)
    if (wrong === null) return []
    const [from = 0] = indices?.groups?.['name'] ?? []
    return [{ name, line: text.slice(0, from).split('\n').length, others: [], ...wrong }]
  })
}

type Wrong = Omit<Misread, 'name' | 'line' | 'others'> & Partial<Misread>

/** A quote without its end: dotenv takes it for a part of the value, or reads on up to one in a later line. */
function openQuote(value: string): Wrong | null {
  const [quote = ''] = value
  if (!['"', "'", '`'].includes(quote)) return null

  const expected = 'a quote at both ends of the value, of the same kind, or none'
  const hint = 'a value that holds a quote goes between quotes of another kind: ", \' or `'
  if (!value.includes(quote, 1)) return { given: `a ${quote} that is not closed`, expected, hint }

  const [, ...behind] = value.split('\n')
  const others = behind.flatMap(settingSetIn)
  if (others.length === 0) return null
  const given = `a ${quote} that is not closed before line ${behind.length + 1} of the value`
  const between = `what is set between would be a part of the value: ${others.join(', ')}`
  return { given, expected, hint: between, others }
}

function settingSetIn(line: string): readonly string[] {
  const name = /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1] ?? ''
  return settingNamed(name) === null ? [] : [name]
}

/** An unquoted # begins a comment, even inside a key or an address. */
function cutShort(name: string, value: string): Wrong | null {
  if (!/^\s*[^\s'"`]/.test(value) || /\s$/.test(value)) return null
  return {
    given: 'a value that holds a #, without quotes',
    expected: 'in an env file, quotes around a value that holds a #, or white space before a comment',
    hint: `without quotes everything from the # on is dropped; write ${name}='…'`,
  }
}
