import { Command, CommanderError } from 'commander'
import { OwnRuleError } from '../../run/plan/cases.ts'
import { describeIssues } from '../../settings/issue.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { printableLines } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { inputOf, shownWord, tellUncaught, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { releaseSignals } from './signals.ts'

/** What declares the commands with these names, loaded only when one is called or all are listed. */
const commands: readonly (readonly [names: readonly string[], load: () => Promise<Declare>])[] = [
  [['run', 'doctor'], async () => (await import('./run-commands.ts')).runCommands],
  [['plan', 'replay'], async () => (await import('./case-commands.ts')).caseCommands],
  [['init', 'endpoints'], async () => (await import('./file-commands.ts')).fileCommands],
  [
    ['rules', 'report', 'compare', 'waive', 'bundle', 'verify'],
    async () => (await import('./verdict-commands.ts')).verdictCommands,
  ],
  [['serve', 'proxy'], async () => (await import('./serve-command.ts')).serveCommands],
]

/**
 * Declares the command named in the arguments, or all commands if help is requested. Returns the arguments, with `run` inserted first if it
 * is the default.
 */
export async function declareCommands(words: readonly string[], ...[program, acts]: Parameters<Declare>) {
  const [first = '--'] = words
  const isRun = first.startsWith('-') && !['-h', '--help', '--version'].includes(first)
  const named = isRun ? ['run', ...words] : words
  const wanted = commands.filter(([names]) => names.includes(named[0] ?? ''))
  for (const [, load] of wanted.length > 0 || first === '--version' ? wanted : commands)
    (await load())(program, acts)
  return named
}

/** Runs the program with these arguments and returns its exit code. */
export async function main(words: readonly string[], console: Console) {
  let exitCode: ExitCode = 0
  const program = programOf(words, console)
  let called = program
  program.hook('preAction', (_, command) => {
    called = command
    if (command.name() === 'run') return
    console.ending.folders = []
    releaseSignals()
  })
  tellUncaught(console.ending, null)
  try {
    const named = await declareCommands(words, program, (code) => async (...given) => {
      exitCode = (await code({ ...console, input: inputOf(called, console) }, ...given)) ?? 0
    })
    await program.parseAsync(named, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof OwnRuleError) console.err(describeIssues(error.issues))
    else if (error instanceof UnusableInput && called.name() !== 'run')
      console.err(`${printableLines(error.message).trimEnd()}\n`)
    else if (!(error instanceof CommanderError)) throw error
    else {
      console.ending.folders = []
      if (error.exitCode === 0) return 0
      if (words.some((word) => word.startsWith('--env-file'))) console.err(ofNode)
    }
    return 2
  }
}

const ofNode = 'Node itself reads --env-file, wherever it stands: use --settings-file\n'

function programOf(words: readonly string[], console: Console) {
  return new Command('card-switch-conformance')
    .description('Judges a card-switching service, rule by rule, against its documented conventions.')
    .version(packageVersion(), '--version', "print the program's version")
    .addHelpText('after', helpFooter)
    .exitOverride()
    .showHelpAfterError('See --help of the command. Nothing was sent or written.')
    .configureOutput({
      writeOut: console.out,
      writeErr: console.err,
      outputError: (text, write) => write(printableLines(withShownWords(text, words))),
      getOutHelpWidth: () => console.width,
    })
}

/** Minimum length of a hidden argument, in characters. A shorter text is not a credential and may occur in our own wording. */
const shortestHidden = 4

/** Shows the arguments in a message as {@link shownWord} does. */
function withShownWords(text: string, words: readonly string[]) {
  return words
    .flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    .filter((word) => word.length >= shortestHidden && shownWord(word) !== word)
    .toSorted((first, second) => second.length - first.length)
    .reduce((rest, word) => rest.replaceAll(word, () => shownWord(word)), text)
}

/** The end of `--help`, about the sources of settings and the exit codes. */
const helpFooter = `
Settings come from flags, the environment, then .env in this folder (in a pipeline only if --settings-file names it).
Credentials cannot be flags: anyone could read them in the process list. Set TARGET_BASE_URL, TARGET_API_KEY and
TARGET_SECRET_KEY in .env ("init" writes it), and FIXTURE_… for further clients. "run --help" lists every flag.

Exit codes of run:
  0  conformant              3  incomplete: unreachable, credentials refused, quota or budget ran out,
  1  nonconformant              or a rule that the profile requires could not be judged
  2  wrong settings          4  the suite itself failed
`
