import type { Command } from 'commander'
import { usualOpaqueNames } from '../../drift/opaque-strings.ts'
import { toleratedChanges } from '../../drift/tolerated.ts'
import { type ProxyFlags, readProxySettings } from '../../serve/proxy/proxy-settings.ts'
import { startProxy, type ProxyOptions } from '../../serve/proxy/start-proxy.ts'
import { startReference } from '../../serve/reference/service.ts'
import { describeIssues } from '../../settings/issue.ts'
import { printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { inputOf, withListening, withSettings, type Declare } from './command.ts'
import type { Console } from './console.ts'
import { serveUntilInterrupted } from './serve-command.ts'

/** `proxy`: forwards requests to a service and makes tolerated changes to its JSON answers until interrupted. */
export const proxyCommand: Declare = (program, acts) =>
  withListening(
    withSettings(program.command('proxy'), {
      TARGET_BASE_URL: 'Address of the service, or "embedded" for the reference service.',
      RUN_SEED: 'Seed of the changes: the same seed makes the same changes. (default: 20260101)',
      RUN_TIMEOUT_MS: 'Maximum wait for a connection, and for the start of an answer. (default: 60000)',
      RUN_CA_FILE: 'A PEM file with the certificate of a private certificate authority.',
    }),
  )
    .description(
      'forward requests to the service and change its JSON answers in ways that clients must tolerate',
    )
    .option(
      '--changes <names>',
      'changes to make: any of added, order and opaque, separated by commas',
      'added,order,opaque',
    )
    .option(
      '--opaque <names>',
      'properties whose strings are opaque, separated by commas; * matches any characters',
      usualOpaqueNames.join(','),
    )
    .option('--log-changes', 'log each change of an answer: its kind and place, never its value')
    .action(acts(proxy))

async function proxy(console: Console, flags: ProxyFlags, command: Command): Promise<void> {
  const read = await readProxySettings(inputOf(command, console), flags)
  for (const notice of read.notices) console.err(`${printable(notice)}\n`)
  if (read.kind === 'issues') throw new UnusableInput(describeIssues(read.issues))
  const { settings } = read
  const embedded = settings.baseUrl === null ? await startReference() : null
  try {
    const baseUrl = settings.baseUrl ?? embedded?.baseUrl ?? ''
    const options = { ...settings, baseUrl, log: (line: string) => console.out(`${line}\n`) }
    await serveUntilInterrupted('the proxy', settings, console, async () => {
      const started = await startProxy(options)
      return { announcement: announcement(started.address, options), close: () => started.close() }
    })
  } finally {
    await embedded?.close()
  }
}

function announcement(address: string, { baseUrl, changes, opaque, seed }: ProxyOptions): string {
  const says = toleratedChanges.filter(({ name }) => changes.includes(name))
  const ofNames = `strings of ${printable(opaque.join(', '))} become longer, shorter, empty or get another format; equal strings change equally`
  return [
    `The proxy listens at ${address} and forwards requests to ${baseUrl}`,
    'It changes every JSON answer. The seed and the number of the request determine the changes:',
    ...says.map(({ name, says: what }) => `  ${name.padEnd(8)}${name === 'opaque' ? ofNames : what}`),
    `  seed    ${seed}`,
    `Set the service address of your client application to ${address}. The service may make these changes at any time, so`,
    'your client must still work. The field x-tolerated-changes of an answer lists its changes.',
    'Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n')
}
