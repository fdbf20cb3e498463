import { Command, Option } from 'commander'
import { usualOpaqueNames } from '../../drift/opaque-strings.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import type { SettingName } from '../../settings/setting-table.ts'
import { addSettingOptions } from './command-line.ts'
import type { Console } from './console.ts'

/** Makes commander's action of a command, which is loaded only when it is called, with its words, flags and itself. */
type Calls = <Given extends readonly unknown[]>(
  load: () => Promise<(console: Console, ...given: Given) => Promise<ExitCode>>,
) => (...given: Given) => Promise<void>

/** Declares every command with its flags. */
export function addCommands(program: Command, calls: Calls): void {
  addJudgingCommands(program, calls)
  addReportCommands(program, calls)
  addServingCommands(program, calls)
}

const forDoctor: readonly SettingName[] = [
  'TARGET_BASE_URL',
  'TARGET_VERSION',
  'TARGET_QUERY',
  'RUN_MAX_RPS',
  'RUN_TIMEOUT_MS',
  'RUN_CA_FILE',
  'RUN_CERT_FILE',
  'RUN_KEY_FILE',
]

const forPlan: readonly SettingName[] = [
  'TARGET_BASE_URL',
  'TARGET_VERSION',
  'TARGET_QUERY',
  'TARGET_ENDPOINTS',
  'FIXTURE_INVALID_QUERY',
  'FIXTURE_INACTIVE_ENDPOINT',
  'FIXTURE_DISPOSABLE_QUOTA',
  'RUN_PROFILE',
  'RUN_SEED',
  'RUN_FUZZ_CASES',
  'RUN_ONLY',
  'RUN_SUITES',
  'RUN_ESSENTIAL',
  'RUN_FAILED',
  'RUN_IDENTIFY',
  'RUN_BASELINE',
  'RUN_UPDATE_BASELINE',
  'RUN_RESET_BASELINE',
  'RUN_MAX_REQUESTS',
  'RUN_MAX_EXHAUST',
  'RUN_MAX_RPS',
  'RUN_REPORTS_DIR',
  'RUN_QUIET',
]

function addJudgingCommands(program: Command, calls: Calls): void {
  addSettingOptions(program.command('run', { isDefault: true }))
    .description('judge a target and write the reports (the default)')
    .action(calls(async () => (await import('./run-command.ts')).runCommand))
  addSettingOptions(program.command('plan'), forPlan)
    .description('print the rules that would be judged and how many requests each would send; sends nothing')
    .action(calls(async () => (await import('./plan-command.ts')).planCommand))
  addSettingOptions(program.command('doctor'), forDoctor)
    .description('check the settings and the connection with one request for each configured client')
    .action(calls(async () => (await import('./doctor-command.ts')).doctorCommand))
  program
    .command('init')
    .description('write .env, a pipeline and a letter to the provider; never overwrites a file')
    .option('--base-url <url>', 'the address of the service')
    .option('--label <text>', 'what is judged, the same every day (vendor, environment)')
    .option('--profile <name>', 'gate, acceptance or nightly')
    .addOption(
      new Option('--ci <pipeline>', 'the pipeline to write a file for').choices([
        'github',
        'gitlab',
        'jenkins',
      ]),
    )
    .action(calls(async () => (await import('./init-command.ts')).initCommand))
  addSettingOptions(program.command('replay'))
    .description('send one reported case again, byte for byte, and say whether what comes is allowed')
    .argument('<case>', 'its name as reports give it, rule:seed:case')
    .option('--times <number>', 'how many times, 1 to 1000; says how often it was wrong', '1')
    .action(calls(async () => (await import('./replay-command.ts')).replayCommand))
}

function addReportCommands(program: Command, calls: Calls): void {
  program
    .command('rules')
    .description('list the rules: id, level, sentence, where the specification says so')
    .addOption(new Option('--format <format>', 'how').choices(['text', 'json', 'markdown']).default('text'))
    .option('--suites <folder>', 'list rules of your own, too: a folder with modules that declare them')
    .action(calls(async () => (await import('./rules-command.ts')).rulesCommand))
  program
    .command('report')
    .description('make the reports of a folder again from its verdict.json')
    .argument('<folder>', 'the reports folder')
    .action(calls(async () => (await import('./report-command.ts')).reportCommand))
  program
    .command('compare')
    .description(
      'set verdicts side by side, or many targets, each beside its own last run; exit 1 when something got worse',
    )
    .argument('[first]', 'a verdict.json, its folder, or a history: what the others are compared with')
    .argument('[others...]', 'a verdict.json or its folder each')
    .option(
      '--targets <list>',
      'many targets instead: a file with a line "NAME PATH" for each reports folder that is expected, or a folder of reports folders',
    )
    .option('--max-age <hours>', 'of targets: a verdict that is older counts as missing')
    .addOption(new Option('--format <format>', 'how').choices(['text', 'json', 'html']).default('text'))
    .action(calls(async () => (await import('./compare-command.ts')).compareCommand))
  program
    .command('waive')
    .description('write a waivers file that covers what stops a run, an entry a cause, for review')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'where it is written; one that exists is never overwritten')
    .option('--reason <text>', 'why this is accepted; otherwise left to be filled in')
    .option('--owner <text>', 'who answers for it; otherwise left to be filled in')
    .action(calls(async () => (await import('./waive-command.ts')).waiveCommand))
  program
    .command('bundle')

    .description('pack the reports of a run, as it left and signed them, into one evidence archive')
    .argument('<folder>', 'the reports folder')
    .requiredOption('--out <file>', 'where the archive is written; its name ends in .tar.gz')
    .action(calls(async () => (await import('./bundle-command.ts')).bundleCommand))
  program
    .command('verify')
    .description('check an evidence archive; exit 1 when anything was changed, or is not as required')
    .argument('<file>', 'the archive; nothing of it is unpacked')
    .option('--key <file>', 'a PEM file with the public Ed25519 key that must have signed it')
    .addOption(
      new Option(
        '--require <what>',
        'accept only the verdict of a whole, strict acceptance that ended in 0',
      ).choices(['conformant']),
    )
    .option('--require-signature', 'accept only an archive that the key of --key signed')
    .action(calls(async () => (await import('./verify-command.ts')).verifyCommand))
}

function addServingCommands(program: Command, calls: Calls): void {
  program
    .command('serve')
    .description('start the embedded reference service and print its address and clients')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
    .option('--fault <name...>', 'bend it in this way, or in several')
    .option('--list-faults', 'list the ways in which it can be bent')
    .option('--variant <name>', 'let it serve in this unusual manner, which is conformant all the same')
    .option('--list-variants', 'list these manners')
    .option('--endpoints <file>', 'an endpoints file whose endpoints it serves, too')
    .action(calls(async () => (await import('./serve-command.ts')).serveCommand))
  program
    .command('endpoints')
    .description('make an endpoints file')
    .command('import')
    .description('make an endpoints file of an OpenAPI document (3.0 or 3.1, YAML or JSON), for review')
    .argument('<file>', 'the document; of what it refers to, only files in its folder are read')
    .option(
      '--include <glob>',
      'import only operations like this: "/api/cards/*", or "GET *"; * stands for any characters',
    )
    .option('--tag <name>', 'import only operations with this tag')
    .option(
      '--out <file>',
      'where the endpoints file is written; one that exists is never overwritten',
      'endpoints.json',
    )
    .action(calls(async () => (await import('./endpoints-command.ts')).importCommand))
  const proxy = program
    .command('proxy')
    .description(
      'stand before the service and change its JSON answers in the ways that clients must tolerate',
    )
    .allowUnknownOption()
    .allowExcessArguments()
    .option(
      '--changes <names>',
      'which of added, order and opaque, separated by commas',
      'added,order,opaque',
    )
    .option(
      '--opaque <names>',
      'properties whose strings are opaque, separated by commas; * stands for any characters',
      usualOpaqueNames.join(','),
    )
    .option('--log-changes', 'log each change of an answer: path, before and after; never a credential')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
    .action(calls(async () => (await import('./proxy-command.ts')).proxyCommand))
  for (const option of addSettingOptions(new Command()).options) {
    const about = proxySettings.get(option.attributeName())
    if (about === undefined) continue
    option.description = about ?? option.description
    proxy.addOption(option.helpGroup('Options:'))
  }
}

/** Settings that the proxy reads, with their meaning for a proxy if it differs. */
const proxySettings: ReadonlyMap<string, string | null> = new Map([
  ['TARGET_BASE_URL', null],
  [
    'RUN_SEED',
    'Decides the changes: the same seed changes the same answers in the same way. (default: 20260101)',
  ],
  ['RUN_TIMEOUT_MS', 'How long to wait for a connection, and for an answer to begin. (default: 60000)'],
  ['RUN_CA_FILE', null],
  ['settingsFile', null],
])
