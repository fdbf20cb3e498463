import type { Command } from 'commander'
import { usualOpaqueNames } from '../../drift/opaque-strings.ts'
import { toleratedChanges } from '../../drift/tolerated.ts'
import { type ProxyFlags, readProxySettings } from '../../serve/proxy/proxy-settings.ts'
import { startProxy, type ProxyOptions } from '../../serve/proxy/start-proxy.ts'
import { startReference } from '../../serve/reference/service.ts'
import { describeIssues } from '../../settings/issue.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { inputOf, withSettings, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { serveUntilInterrupted } from './serve-command.ts'

/** `proxy`: proxies a service and makes tolerated changes to its JSON answers until interrupted. */
export const proxyCommand: Declare = (program, acts) =>
  withSettings(program.command('proxy'), {
    TARGET_BASE_URL: 'The address of the service, or "embedded" for the reference service.',
    RUN_SEED:
      'Decides the changes: the same seed changes the same answers in the same way. (default: 20260101)',
    RUN_TIMEOUT_MS: 'How long to wait for a connection, and for an answer to begin. (default: 60000)',
    RUN_CA_FILE: 'A PEM file with the certificate of a private certificate authority.',
  })
    .description(
      'stand before the service and change its JSON answers in the ways that clients must tolerate',
    )
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
    .option('--log-changes', 'log each change of an answer: what and where, without its value')
    .option('--host <host>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'which port; 0 is a free one', '0')
    .action(acts(proxy))

async function proxy(console: Console, flags: ProxyFlags, command: Command): Promise<ExitCode> {
  const read = await readProxySettings(inputOf(command, console), flags)
  for (const notice of read.notices) console.err(`${printable(notice)}\n`)
  if (read.kind === 'issues') throw new UnusableInput(describeIssues(read.issues))
  const { settings } = read
  const embedded = settings.baseUrl === null ? await startReference() : null
  try {
    const baseUrl = settings.baseUrl ?? embedded?.baseUrl ?? ''
    const options = { ...settings, baseUrl, log: (line: string) => console.out(`${line}\n`) }
    return await serveUntilInterrupted('the proxy', settings, console, async () => {
      const started = await startProxy(options)
      return { announcement: announcement(started.address, options), close: () => started.close() }
    })
  } finally {
    await embedded?.close()
  }
}

function ofNames(names: readonly string[]): string {
  return `strings of ${printable(names.join(', '))}: longer, shorter, empty or of another format, the same one always the same`
}

function announcement(address: string, { baseUrl, changes, opaque, seed }: ProxyOptions): string {
  const says = toleratedChanges.filter(({ name }) => changes.includes(name))
  return [
    `The proxy listens at ${address} and passes requests on to ${baseUrl}`,
    'It changes every JSON answer, decided by the seed and by how many requests came before:',
    ...says.map(({ name, says: what }) => `  ${name.padEnd(8)}${name === 'opaque' ? ofNames(opaque) : what}`),
    `  seed    ${seed}`,
    `Give your client application ${address} as the address of the service: the specification lets the service make these`,
    'changes at any time, so all that worked before must still work. x-tolerated-changes in an answer says what was done to it.',
    'End it with Ctrl-C.',
    '',
    '',
  ].join('\n')
}
