import type { Command } from 'commander'
import { didYouMean, describeIssues, issue } from '../../settings/issue.ts'
import { meant } from '../../text/nearest.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { shownWord } from './command-line.ts'
import type { Console } from './console.ts'

/** The command that words name, and the words behind its name. */
interface Named {
  readonly command: Command
  readonly behind: readonly string[]
}

/** Follows words from a command to the one below it that they name. */
export function commandNamed(words: readonly string[], from: Command): Named {
  const [word, ...behind] = words
  const below = from.commands.find((one) => one.name() === word)
  return below === undefined ? { command: from, behind: words } : commandNamed(behind, below)
}

/**
 * Prints the help for which the words ask, as `help run`, `run help` and `endpoints help import` do; null if they ask for none. A word
 * that a command takes (`report help`) is no question.
 */
export function answerHelp(words: readonly string[], program: Command, console: Console): ExitCode | null {
  const at = words.indexOf('help')
  const asked = commandNamed(words.slice(0, Math.max(at, 0)), program)
  if (at < 0 || asked.behind.length > 0 || asked.command.registeredArguments.length > 0) return null

  const wanted = words.slice(at + 1).filter((word) => word !== 'help' && !word.startsWith('-'))
  const { command, behind } = commandNamed(wanted, asked.command)
  const [unknown] = behind
  if (unknown === undefined) {
    command.outputHelp()
    return 0
  }
  const names = command.commands.map((one) => one.name())
  const expected = names.length === 0 ? 'no further word' : `one of the commands ${names.join(', ')}`
  const hint = didYouMean(meant(unknown, names)) ?? `see ${pathOf(command)}--help`
  console.err(describeIssues([issue('the command line', { given: shownWord(unknown), expected, hint })]))
  return 2
}

/** Words that name a command, each with a space behind it; nothing for the program itself. */
export function pathOf(command: Command): string {
  return command.parent === null ? '' : `${pathOf(command.parent)}${command.name()} `
}

/** End of `--help`: how to begin, where settings come from, what exit codes mean. */
export const helpFooter = `
To begin:
  card-switch-conformance --base-url embedded      judge the suite's own reference service
  card-switch-conformance init                     write .env, a pipeline and a text for the provider
  card-switch-conformance doctor                   are my settings right, is the service there?
  card-switch-conformance plan                     what would be judged, how many requests would it cost?
  card-switch-conformance run                      judge the service

Settings come from flags, from the environment, then from .env in this folder (in a pipeline only where --settings-file
names it). Credentials have no flags, since flags show in the process list: set TARGET_BASE_URL, TARGET_API_KEY and
TARGET_SECRET_KEY in .env (init writes it), and FIXTURE_… for clients that behave in a known way. "card-switch-conformance
run --help" lists every flag.

Exit codes of run:
  0  conformant              3  incomplete: unreachable, credentials refused, quota or budget ran out,
  1  nonconformant              or a rule that the profile requires could not be judged
  2  wrong settings          4  the suite itself failed
`
