import { join, relative, resolve, sep } from 'node:path'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { writeNew } from '../../report/folder/reports-folder.ts'
import { lateOwnError } from '../../run/plan/cases.ts'
import { redactorOf } from '../../run/plan/suite-context.ts'
import { describeIssues } from '../../settings/issue.ts'
import { packageFolder } from '../../settings/package-version.ts'
import { settingNamed, settingTable, type SettingName } from '../../settings/setting-table.ts'
import type { Settings } from '../../settings/settings.ts'
import type { SettingsInput } from '../../settings/sources.ts'
import { codeOf, errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { quoted } from '../../verdict/show.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { readSettingsAndSuites } from '../own-suites.ts'
import type { Console, Ending } from './console.ts'

/** What a command gets: the console, and the sources of its settings. */
export type Call = Console & Readonly<{ input: SettingsInput }>

/** Wraps a command's code as a commander action. The code receives the call, the arguments and the flags; its exit code is 0 unless it returns another. */
type Acts = <Given extends readonly unknown[]>(
  code: (call: Call, ...given: Given) => Promise<ExitCode | void>,
) => (...given: Given) => Promise<void>

/** Declares a command with its arguments and flags. */
export type Declare = (program: Command, acts: Acts) => void

/** Adds a flag for every setting that has one, or only for those in `shown`, with the texts given there. */
export function withFlags(command: Command, shown?: Partial<Record<SettingName, string>>) {
  for (const { name, flag, argument, about, group, default: usual } of settingTable) {
    if (flag === null || (shown !== undefined && shown[name] === undefined)) continue
    const text = shown?.[name] ?? (usual === undefined ? about : `${about} (default: ${usual})`)
    const option = new Option(argument === null ? `--${flag}` : `--${flag} ${argument}`, text)
    // Its value is stored under the name of the setting, not that of the flag.
    option.attributeName = () => name
    command.addOption(option.helpGroup(`${group}:`))
  }
  return command
}

/** Adds `--settings-file` and the flags of {@link withFlags}. */
export function withSettings(...given: Parameters<typeof withFlags>) {
  const file = new Option('--settings-file <file>', 'env file to read instead of .env')
  return withFlags(...given).addOption(file.helpGroup('Settings files:'))
}

/** The sources of a command's settings. */
export function inputOf(command: Command, { env, cwd, now }: Console): SettingsInput {
  const { settingsFile: envFile = null, ...given } = command.opts<{ readonly settingsFile?: string }>()
  const flags = Object.entries<unknown>(given).filter(([name]) => settingNamed(name) !== null)
  const texts = flags.map(([name, value]) => [name, String(value)])
  return { env, cwd, now: now(), flags: Object.fromEntries(texts), envFile }
}

/** Reads the settings of a command that writes no reports. Throws {@link UnusableInput}, whose message ends with `next`, if they are wrong. */
export async function settingsOfCommand({ input, err }: Call, next = '') {
  const read = await readSettingsAndSuites(input)
  err(lines(...read.notices))
  if (read.kind === 'settings') return read
  throw new UnusableInput(`${describeIssues(read.issues)}${next}`)
}

/** Parses a flag that is a whole number; commander reports any other text. */
export function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const number = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : NaN
    if (number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}, in digits only.`)
  }
}

/** The flag for the format of the output, by default text. */
export function formatOption(...formats: readonly string[]) {
  return new Option('--format <format>', 'output format').choices(formats).default('text')
}

/** Adds the flags for the address that a command listens on. */
export function withListening(command: Command) {
  return command
    .option('--host <host>', 'address to listen on', hostName, '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 picks a free port', wholeNumber(0, 65_535), 0)
}

/** An empty host would mean every address of this machine. */
function hostName(text: string) {
  if (text.trim() !== '') return text
  throw new InvalidArgumentError('Expected a name or address; check that the variable for --host is set')
}

/** The error for issues. `sofar` is a clause that says what was done. */
export function refusal(...given: Parameters<typeof describeIssues>) {
  return new UnusableInput(describeIssues(...given))
}

/** Throws {@link refusal} if there are issues. */
export function refuse(...given: Parameters<typeof describeIssues>) {
  if (given[0].length > 0) throw refusal(...given)
}

type Said = string | false | null

/** The texts that apply. */
export function said(...texts: readonly Said[]) {
  return texts.filter((text) => typeof text === 'string')
}

/** The texts that apply, each as a line that is safe to print. */
export function lines(...texts: readonly Said[]) {
  return said(...texts)
    .map((text) => `${printable(text)}\n`)
    .join('')
}

/** Writes the file given with `--out`, completely or not at all. Throws {@link UnusableInput} if it exists or cannot be written. */
export async function writeNewFile(out: string, content: string | Buffer, cwd: string) {
  await writeNew(resolve(cwd, out), content).catch((error: unknown) => {
    const taken = 'it already exists: choose another name with --out, or move it away'
    const why = codeOf(error) === 'EEXIST' ? taken : errorText(error)
    throw new UnusableInput(`${out} was not written: ${why}`)
  })
}

/** The command line that runs this program from a folder with these arguments, using npm, npx, its name or its path, safe to print. */
export function nextCommand(words: readonly string[], cwd: string) {
  const folder = packageFolder()
  const line = words.map((word) => (/^[\w%+,./:@=-]+$/.test(word) ? word : quoted(word))).join(' ')
  const [above = '', own] = folder.split(/[\\/]node_modules(?=[\\/])/)
  const installed = 'card-switch-conformance'
  const inCheckout =
    folder === cwd ? 'npm run conformance --' : `node ${join(folder, 'bin', `${installed}.mjs`)}`
  // npx finds packages installed above the working folder; any other installation is global.
  const inPackage = `${cwd}${sep}`.startsWith(`${above}${sep}`) ? `npx --no -- ${installed}` : installed
  return printable(`${own === undefined ? inCheckout : inPackage} ${line}`)
}

/** The shortest path from a folder to a file in the package, safe to print. */
export function packageFile(name: string, cwd: string) {
  const file = join(packageFolder(), name)
  const short = relative(cwd, file)
  return printable(short.startsWith('..') ? file : short)
}

/**
 * Reports uncaught errors without the credentials in the settings, and names the user's rule or file that threw them. With `interruption`,
 * they end the run, which then reports them.
 */
export function tellUncaught(ending: Ending, settings: Settings | null, interruption?: AbortController) {
  const redact = (text: string) => (settings === null ? text : redactorOf(settings).redact(text))
  ending.uncaught = (error, text) => {
    const own = lateOwnError(error, redact)
    if (own === null) return redact(text)
    interruption?.abort(own)
    return interruption === undefined ? own.message : null
  }
}

/** Shows an argument that may contain a credential: a flag without its value, a plain word unchanged, and anything else as its length. */
export function shownWord(word: string) {
  const flag = /^--?[a-z][a-z-]{0,38}/.exec(word)?.[0]
  if (flag !== undefined) return flag.length === word.length ? word : `${flag}…`
  return /^[a-z-]{1,20}$/.test(word) ? word : `a word of ${word.length} characters`
}

/** Quotes a value for dotenv unless it consists of plain characters. */
export function dotenvValue(value: string) {
  if (/^[\w\-.:/=+]*$/.test(value)) return value
  const quote = ["'", '`', '"'].find((mark) => !value.includes(mark)) ?? "'"
  return `${quote}${value}${quote}`
}
