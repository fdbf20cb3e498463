import { Option, type Command } from 'commander'
import { readWithOwn, type SettingsAndOwn } from '../settings-and-own.ts'
import type { Catalogue } from '../../specification/catalogue.ts'
import { describeIssues, didYouMean, issue, type SettingIssue } from '../../settings/issue.ts'
import { meant, meantAmong } from '../../text/nearest.ts'
import { settingTable, type Setting, type SettingName } from '../../settings/setting-table.ts'
import type { SettingsInput } from '../../settings/sources.ts'
import type { Console } from './console.ts'

/** Settings by name, the file of `--settings-file`, and the issues of the command line itself. */
export interface CommandInput extends Pick<SettingsInput, 'flags' | 'envFile'> {
  readonly issues: readonly SettingIssue[]
  /** Settings that misspelt flags probably mean. */
  readonly misread: readonly string[]
  /** False if the words do not say what is wanted; then nothing is said of the settings. */
  readonly understood: boolean
}

/**
 * Adds a flag for every setting that has one, and `--settings-file`. Help shows those of the settings that change what the command does; by
 * default all.
 */
export function addSettingOptions(command: Command, shown?: readonly SettingName[]): Command {
  // Unknown words are reported with all other issues.
  command.allowUnknownOption().allowExcessArguments()
  for (const setting of settingTable) {
    const option = optionOf(setting)
    if (option !== null) command.addOption(option.hideHelp(shown?.includes(setting.name) === false))
  }
  if (shown !== undefined) command.addHelpText('after', otherFlags)
  const file = new Option('--settings-file <file>', 'settings to read instead of .env in this folder')
  return command.addOption(file.helpGroup('Settings files:'))
}

const otherFlags = '\nThe other flags of run are accepted and checked, and change nothing here.'

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
  const envFile = given['settingsFile']
  return {
    flags: Object.fromEntries(flags),
    envFile: typeof envFile === 'string' ? envFile : null,
    ...unknownWords(command),
  }
}

type Unknown = Pick<CommandInput, 'issues' | 'misread' | 'understood'>

/** Issues of unknown words; a word after an unknown flag is its value, and only the first may have been meant as a command. */
function unknownWords(command: Command): Unknown {
  const wanted: readonly unknown[] = command.processedArgs
  const words = command.args.filter((word) => !wanted.includes(word))
  const isFlag = (word: string | undefined): boolean => word?.startsWith('-') === true
  const flags = words.filter(isFlag)
  const others = words.filter((word, index) => !isFlag(word) && !isFlag(words[index - 1]))
  const isNamed = command.parent?.args[0] === command.name()
  const isAnotherFile = words.some(isNodeFlag)
  return {
    issues: [
      ...flags.map((word) => unknownFlag(word, command)),
      ...(isNamed
        ? others.map((word) => furtherWord(word, command))
        : others.slice(0, 1).map(unknownCommand(command))),
    ],
    misread: flags.flatMap((word) => flagsMeant(word, command)).map((option) => option.attributeName()),
    understood: (isNamed || others.length === 0) && !isAnotherFile,
  }
}

/** Issue of a word that no command takes, and that asks for something known; null of any other. */
export function refusedWord(word: string): SettingIssue | null {
  return isNodeFlag(word) ? unknownWord(word, '--settings-file <file>', nodeReads) : null
}

/** Whether a word is Node's own flag for a file of variables. */
function isNodeFlag(word: string): boolean {
  return /^--env-file(?:-if-exists)?(?:=|$)/.test(word)
}

const nodeReads =
  'Node itself reads --env-file, wherever it stands, and runs what NODE_OPTIONS in that file names'

function unknownFlag(word: string, command: Command): SettingIssue {
  const refused = refusedWord(word)
  if (refused !== null) return refused
  const [name] = word.split('=')
  const known = command.options.find(({ long }) => long === name)
  if (known !== undefined) {
    const hint = `${known.attributeName()} in the environment or in .env is true or false`
    return unknownWord(word, `${known.long} without a value, which means yes`, hint)
  }
  const likely = flagsMeant(word, command).map(({ long }) => long)
  return unknownWord(word, 'a flag that this command has', didYouMean(likely.join(' or ') || null))
}

function flagsMeant(word: string, { options }: Command): readonly Option[] {
  const names = meantAmong(
    word.replace(/=.*$/s, ''),
    options.map(({ long }) => long ?? ''),
  )
  return options.filter(({ long }) => names.includes(long ?? ''))
}

function furtherWord(word: string, command: Command): SettingIssue {
  return unknownWord(word, `no further word behind ${command.name()}`, `see ${command.name()} --help`)
}

const unknownCommand =
  ({ parent }: Command) =>
  (word: string): SettingIssue => {
    const commands = ['help', ...(parent?.commands ?? []).map((one) => one.name())]
    const isBehindFlags = commands.includes(word)
    const hint = isBehindFlags ? `write ${word} before all flags` : didYouMean(meant(word, commands))
    return unknownWord(word, 'a command that this program has, or none', hint)
  }

function unknownWord(word: string, expected: string, hint: string | null): SettingIssue {
  return issue('the command line', { given: shownWord(word), expected, hint: hint ?? 'see --help' })
}

/** Reads the settings of a command that writes no reports; reports wrong ones and returns null. */
export async function settingsOfCommand(
  input: CommandInput,
  console: Console,
  further: (catalogue: Catalogue) => readonly SettingIssue[] = () => [],
): Promise<Extract<SettingsAndOwn, { readonly kind: 'settings' }> | null> {
  const read = await readWithOwn({ env: console.env, cwd: console.cwd, now: console.now(), ...input })
  if (input.understood) for (const notice of read.notices) console.err(`${notice}\n`)
  const ofSettings = input.understood && read.kind === 'issues' ? read.issues : []
  const issues = [...read.shown([...further(read.catalogue), ...input.issues]), ...ofSettings]
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
