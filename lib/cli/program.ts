import { Command, CommanderError, Option } from 'commander'
import { describeIssues, shortened } from '../settings/issue.ts'
import { printable } from '../settings/printable.ts'
import { isShardFlag, shardWord } from '../settings/no-shards.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import type { BundleFlags } from './bundle-command.ts'
import type { Console } from './console.ts'
import { releaseSignals } from './early-signals.ts'
import { helpFooter } from './help-text.ts'
import { packageVersion } from '../engine/package-version.ts'
import { addProxyOptions } from './proxy-options.ts'
import type { ProxyFlags } from '../proxy/proxy-settings.ts'
import type { CommandInput } from './run-command.ts'
import type { ServeOptions } from './serve-command.ts'
import { addSettingOptions, inputOf } from './setting-options.ts'
import { shownWord, withShownWords } from './shown-word.ts'
import type { VerifyFlags } from './verify-command.ts'

/** Runs the program with these arguments and gives its exit code. Source: Commands, in the README. */
export async function main(args: readonly string[], console: Console): Promise<ExitCode> {
  if (args[0] === 'merge') {
    console.err(describeIssues([shardWord('merge')]))
    return 2
  }
  let exitCode: ExitCode = 0
  const ends =
    (action: (input: CommandInput) => Promise<ExitCode>) => async (_: unknown, command: Command) => {
      exitCode = await action(inputOf(command))
    }
  const program = programOf(console)
  program.hook('preAction', (_, command) => {
    if (command.name() !== 'run') releaseSignals()
  })

  addSettingOptions(program.command('run', { isDefault: true }))
    .description('judge a target and write the reports (the default)')
    .action(ends(async (input) => (await import('./run-command.ts')).runCommand(input, console)))
  addSettingOptions(program.command('plan'))
    .description('print the rules that would be judged and how many requests each would send; sends nothing')
    .action(ends(async (input) => (await import('./plan-command.ts')).planCommand(input, console)))
  addSettingOptions(program.command('doctor'))
    .description('check the settings and the connection with one request for each configured client')
    .action(ends(async (input) => (await import('./doctor-command.ts')).doctorCommand(input, console)))
  addSettingOptions(program.command('replay'))
    .description('send one reported case again, byte for byte, and say whether what comes is allowed')
    .argument('<case>', 'its name as reports give it, rule:seed:case')
    .action(async (name: string, _: unknown, command: Command) => {
      exitCode = await (await import('./replay-command.ts')).replayCommand(name, inputOf(command), console)
    })
  program
    .command('rules')
    .description('list the rules: id, level, sentence, where the specification says so')
    .addOption(new Option('--format <format>', 'how').choices(['text', 'json', 'markdown']).default('text'))
    .action(async ({ format }: { readonly format: string }) => {
      exitCode = (await import('./rules-command.ts')).rulesCommand(format, console)
    })
  program
    .command('report')
    .description('make the reports of a folder again from its verdict.json')
    .argument('<folder>', 'the reports folder')
    .action(async (folder: string) => {
      exitCode = await (await import('./report-command.ts')).reportCommand(folder, console)
    })
  program
    .command('compare')
    .description(
      'set verdicts side by side, rule by target; exit 1 when something is worse than in the first',
    )
    .argument('<first>', 'a verdict.json, its folder, or a history: what the others are compared with')
    .argument('<others...>', 'a verdict.json or its folder each')
    .addOption(
      new Option('--format <format>', 'how').choices(['text', 'markdown', 'json', 'html']).default('text'),
    )
    .action(async (first: string, others: readonly string[], { format }: { readonly format: string }) => {
      const { compareCommand } = await import('./compare-command.ts')
      exitCode = await compareCommand({ first, others, format }, console)
    })
  program
    .command('bundle')
    .description('seal the reports of a run into one evidence archive, signed where a key is given')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'where the archive is written; its name ends in .tar.gz')
    .option(
      '--signing-key-file <file>',
      'a PEM file with the private Ed25519 key that signs; RUN_SIGNING_KEY_FILE where this is not given',
    )
    .action(async (folder: string, flags: BundleFlags) => {
      exitCode = await (await import('./bundle-command.ts')).bundleCommand(folder, flags, console)
    })
  program
    .command('verify')
    .description('check an evidence archive; exit 1 when anything was changed, is missing or does not fit')
    .argument('<file>', 'the archive; nothing of it is unpacked')
    .option('--key <file>', 'a PEM file with the public Ed25519 key that must have signed it')
    .action(async (file: string, flags: VerifyFlags) => {
      exitCode = await (await import('./verify-command.ts')).verifyCommand(file, flags, console)
    })
  program
    .command('serve')
    .description('start the embedded reference service and print its address and clients')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
    .option('--fault <name...>', 'bend it in this way, or in several')
    .option('--list-faults', 'list the ways in which it can be bent')
    .option('--variant <name>', 'let it serve in this unusual manner, which is conformant all the same')
    .option('--list-variants', 'list these manners')
    .action(async (options: ServeOptions) => {
      exitCode = await (await import('./serve-command.ts')).serveCommand(options, console)
    })
  addProxyOptions(program.command('proxy'))
    .description(
      'stand before the service and change its JSON answers in the ways that clients must tolerate',
    )
    .action(async (flags: ProxyFlags, command: Command) => {
      exitCode = await (await import('./proxy-command.ts')).proxyCommand(flags, inputOf(command), console)
    })

  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? 0 : refuse(error, args, program, console)
  }
}

function programOf(console: Console): Command {
  const program = new Command('card-switch-conformance')
    .description(
      'Judges a card-switching and customization service, rule by rule, against its documented conventions.',
    )
    .version(packageVersion(), '--version', "print the program's version")
    .addHelpText('after', helpFooter)
    .exitOverride()
    .showHelpAfterError(false)
    .configureOutput({
      writeOut: console.out,
      writeErr: () => {},
      getOutHelpWidth: () => console.width,
    })
  return program
}

/** A command line that cannot be read at all: nothing is sent and nothing is written. */
async function refuse(
  error: CommanderError,
  args: readonly string[],
  program: Command,
  console: Console,
): Promise<ExitCode> {
  const expected = printable(withShownWords(error.message.replace(/^error: /, ''), args))
  const [first = ''] = args
  const shards = args.filter(isShardFlag).map((word) => shardWord(shownWord(word)))
  if (first !== 'run' && program.commands.some((command) => command.name() === first)) {
    console.err(shards.length > 0 ? describeIssues(shards) : `${expected}; see ${first} --help\n`)
    return 2
  }
  const mistake = {
    setting: 'the command line',
    given: shortened(args.map(shownWord).join(' ')),
    expected,
    hint: 'see --help',
  }
  const { runCommand } = await import('./run-command.ts')
  return runCommand({ flags: {}, envFile: null, mistakes: [mistake, ...shards] }, console)
}
