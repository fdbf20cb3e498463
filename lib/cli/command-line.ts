import { Option, type Command } from 'commander'
import { readWithOwn, type SettingsAndOwn } from '../run/settings-and-own.ts'
import type { Catalogue } from '../spec/catalogue.ts'
import { describeIssues, didYouMean, issue, type SettingIssue } from '../settings/issue.ts'
import { meant } from '../settings/nearest.ts'
import { isShardFlag, shardWord } from '../settings/no-shards.ts'
import { settingTable, type Setting } from '../settings/setting-table.ts'
import type { SettingsInput } from '../settings/sources.ts'
import type { Console } from './console.ts'

/** Settings by name, the file of `--env-file`, and the issues of the command line itself. */
export interface CommandInput extends Pick<SettingsInput, 'flags' | 'envFile'> {
  readonly issues: readonly SettingIssue[]
}

/** Adds a flag for every setting that has one, and `--env-file`. */
export function addSettingOptions(command: Command): Command {
  // Unknown words are reported with all other issues.
  command.allowUnknownOption().allowExcessArguments()
  for (const setting of settingTable) {
    const option = optionOf(setting)
    if (option !== null) command.addOption(option)
  }
  const envFile = new Option('--env-file <file>', 'settings to read instead of .env in this folder')
  return command.addOption(envFile.helpGroup('Settings files:'))
}

function optionOf(setting: Setting): Option | null {
  const { name, flag, argument, about, group } = setting
  if (flag === null) return null

  const text = setting.default === undefined ? about : `${about} (default: ${setting.default})`
  const option = new Option(argument === null ? `--${flag}` : `--${flag} ${argument}`, text)
  // Values are stored by the setting's name, whatever the flag.
  option.attributeName = () => name
  return option.helpGroup(`${group}:`)
}

/** Reads the settings of a command line by name; anything else is an issue. */
export function inputOf(command: Command): CommandInput {
  const given: Readonly<Record<string, unknown>> = command.opts()
  const flags = settingTable.flatMap(({ name }) => {
    const value = given[name]
    return typeof value === 'string' || value === true ? [[name, String(value)] as const] : []
  })
  const envFile = given['envFile']
  return {
    flags: Object.fromEntries(flags),
    envFile: typeof envFile === 'string' ? envFile : null,
    issues: unknownWords(command),
  }
}

/** Issues of unknown words; a word after an unknown flag is its value. */
function unknownWords(command: Command): readonly SettingIssue[] {
  const flags = command.options.map(({ long }) => long ?? '')
  const commands = (command.parent?.commands ?? []).map((one) => one.name())
  const wanted: readonly unknown[] = command.processedArgs

  return command.args.flatMap((word, index) => {
    if (wanted.includes(word)) return []
    if (isShardFlag(word)) return [shardWord(shownWord(word))]
    if (word.startsWith('-')) return [unknownWord(word, 'a flag that this command has', flags)]
    const isValue = index > 0 && command.args[index - 1]?.startsWith('-') === true
    return isValue ? [] : [unknownWord(word, 'a command that this program has, or none', commands)]
  })
}

function unknownWord(word: string, expected: string, candidates: readonly string[]): SettingIssue {
  const hint = didYouMean(meant(word.replace(/=.*$/s, ''), candidates)) ?? 'see --help'
  return issue('the command line', { given: shownWord(word), expected, hint })
}

/** Reads the settings of a command that writes no reports; reports wrong ones and returns null. */
export async function settingsOfCommand(
  input: CommandInput,
  console: Console,
  further: (catalogue: Catalogue) => readonly SettingIssue[] = () => [],
): Promise<Extract<SettingsAndOwn, { readonly kind: 'settings' }> | null> {
  const read = await readWithOwn({ env: console.env, cwd: console.cwd, now: console.now(), ...input })
  for (const notice of read.notices) console.err(`${notice}\n`)
  const issues = [...further(read.catalogue), ...input.issues, ...(read.kind === 'issues' ? read.issues : [])]
  if (issues.length > 0) console.err(describeIssues(issues))
  return read.kind === 'settings' && issues.length === 0 ? read : null
}

/** Maximum length of a shown word and flag, in characters. */
const longestWord = 20
const longestFlag = 40
/** Minimum length of a hidden word, in characters; a shorter one is no credential, and may occur in our own words. */
const shortestHidden = 4

/** Hides a possible credential in a word: shows a flag without its value, a plain word as it is, anything else by its length. */
export function shownWord(word: string): string {
  const flag = /^--?[a-z][a-z-]*/.exec(word)?.[0]
  if (flag !== undefined && flag.length <= longestFlag) return flag.length === word.length ? word : `${flag}…`
  if (/^[a-z-]+$/.test(word) && word.length <= longestWord) return word
  return `a word of ${word.length} characters`
}

/** Shows these words in a text only as {@link shownWord} does. */
export function withShownWords(text: string, words: readonly string[]): string {
  return words
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => word.length >= shortestHidden && shownWord(word) !== word)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, word) => rest.replaceAll(word, () => shownWord(word)), text)
}
