import { Option, type Command } from 'commander'
import { meant } from '../settings/nearest.ts'
import type { SettingIssue } from '../settings/issue.ts'
import { isShardFlag, shardWord } from '../settings/no-shards.ts'
import { type Setting, settingTable } from '../settings/setting-table.ts'
import type { CommandInput } from './run-command.ts'
import { shownWord } from './shown-word.ts'

/** Adds a flag for every setting that has one, and `--env-file`. */
export function addSettingOptions(command: Command): Command {
  // What is unknown is reported with all other mistakes.
  command.allowUnknownOption().allowExcessArguments()
  for (const setting of settingTable) {
    const option = optionOf(setting)
    if (option !== null) command.addOption(option)
  }
  return command.addOption(
    new Option('--env-file <file>', 'settings to read instead of .env in this folder').helpGroup(
      'Settings files:',
    ),
  )
}

/** What a command line says, by the names of settings; what it says besides is a mistake. */
export function inputOf(command: Command): CommandInput {
  const given: Readonly<Record<string, unknown>> = command.opts()
  const flags = settingTable.flatMap((setting) => {
    const value = given[setting.name]
    return typeof value === 'string' || value === true ? [[setting.name, String(value)] as const] : []
  })
  const envFile = given['envFile']
  return {
    flags: Object.fromEntries(flags),
    envFile: typeof envFile === 'string' ? envFile : null,
    mistakes: mistakesIn(command),
  }
}

/** Flags that nobody knows, each once; a word behind one is its value. */
function mistakesIn(command: Command): readonly SettingIssue[] {
  const known = command.options.map(({ long }) => long ?? '')
  const commands = (command.parent?.commands ?? []).map((one) => one.name())

  const wanted: readonly unknown[] = command.processedArgs
  return command.args.flatMap((word, index) => {
    if (wanted.includes(word)) return []
    if (isShardFlag(word)) return [shardWord(shownWord(word))]
    if (word.startsWith('-')) return [mistake(word, 'a flag that this command has', known)]
    const isValue = index > 0 && command.args[index - 1]?.startsWith('-') === true
    return isValue ? [] : [mistake(word, 'a command that this program has, or none', commands)]
  })
}

function mistake(word: string, expected: string, candidates: readonly string[]): SettingIssue {
  const near = meant(word.replace(/=.*$/s, ''), candidates)
  return {
    setting: 'the command line',
    given: shownWord(word),
    expected,
    hint: near === null ? 'see --help' : `did you mean ${near}?`,
  }
}

function optionOf(setting: Setting): Option | null {
  const { name, flag, argument, about, group } = setting
  if (flag === null) return null

  const text = setting.default === undefined ? about : `${about} (default: ${setting.default})`
  const option = new Option(argument === null ? `--${flag}` : `--${flag} ${argument}`, text)
  // Values are kept under the setting's own name, whatever the flag is called.
  option.attributeName = () => name
  return option.helpGroup(`${group}:`)
}
