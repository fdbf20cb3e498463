import { Command, CommanderError } from 'commander'
import { OwnRuleError } from '../../engine/plan/errors.ts'
import { packageVersion } from '../../settings/package-version.ts'
import { describeIssues, issue, shortened } from '../../settings/issue.ts'
import { printable } from '../../text/printable.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { refusedWord, shownWord, withShownWords } from './command-line.ts'
import { addCommands } from './commands.ts'
import type { Console } from './console.ts'
import { tellUncaught } from './ending.ts'
import { answerHelp, commandNamed, helpFooter, pathOf } from './help.ts'
import { releaseSignals } from './signals.ts'

/** Runs the program with these arguments and gives its exit code. */
export async function main(args: readonly string[], console: Console): Promise<ExitCode> {
  let exitCode: ExitCode = 0
  const program = programOf(console)
  program.hook('preAction', (_, command) => {
    if (command.name() === 'run') return
    console.ending.folder = null
    releaseSignals()
  })
  tellUncaught(console.ending, { redact: (text) => text })
  addCommands(program, (load) => async (...given) => {
    const command = await load()
    exitCode = await command(console, ...given)
  })
  const answered = answerHelp(args, program, console)
  if (answered !== null) return answered
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof OwnRuleError) {
      console.err(describeIssues(error.issues))
      return 2
    }
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : refuse(error, args, program, console)
  }
}

function programOf(console: Console): Command {
  return new Command('card-switch-conformance')
    .description(
      'Judges a card-switching and customization service, rule by rule, against its documented conventions.',
    )
    .version(packageVersion(), '--version', "print the program's version")
    .addHelpText('after', helpFooter)
    .helpCommand('help [command...]', 'display help for a command')
    .exitOverride()
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: console.out,
      writeErr: () => {},
      getOutHelpWidth: () => console.width,
    })
}

/** Reports an unreadable command line; nothing is sent or written. */
async function refuse(
  error: CommanderError,
  args: readonly string[],
  program: Command,
  console: Console,
): Promise<ExitCode> {
  const { command } = commandNamed(args, program)
  const path = pathOf(command)
  const refused = args.map(refusedWord).filter((one) => one !== null)
  if (error.code === 'commander.help') {
    const below = command.commands.map((one) => one.name()).join(', ')
    console.err(`${path}needs a command behind it: ${below}\n\n${command.helpInformation()}`)
    return 2
  }
  const message = printable(withShownWords(error.message.replace(/^error: /, '').replaceAll('\n', ' '), args))
  if (command !== program && command.name() !== 'run') {
    console.err(refused.length > 0 ? describeIssues(refused) : `${message}; see ${path}--help\n`)
    return 2
  }
  const given = shortened(args.map(shownWord).join(' '))
  const unreadable = issue('the command line', {
    given,
    expected: expectedBy(message),
    hint: 'see run --help',
  })
  const { runOn } = await import('./run-command.ts')
  const issues = [unreadable, ...refused]
  return runOn({ flags: {}, envFile: null, misread: [], understood: false, issues }, console)
}

/** What commander wants, in the words of an issue. */
function expectedBy(message: string): string {
  const option = /^option '(.+)' argument missing$/.exec(message)?.[1]
  return option === undefined ? message : `a value behind the flag, as ${option}`
}
