import type { Command } from 'commander'
import { toleratedChanges } from '../../drift/tolerated.ts'
import { startReference } from '../../serve/reference/service.ts'
import { printable, errorText } from '../../text/printable.ts'
import type { ExitCode } from '../../verdict/verdict.ts'
import { describeIssues } from '../../settings/issue.ts'
import type { Console } from './console.ts'
import { type ProxyFlags, readProxySettings } from '../../serve/proxy/proxy-settings.ts'
import { startProxy, type ProxyOptions } from '../../serve/proxy/start-proxy.ts'
import { inputOf } from './command-line.ts'
import { untilInterrupted } from './signals.ts'

/** Proxies a service and makes tolerated changes to its JSON answers until interrupted. */
export async function proxyCommand(console: Console, flags: ProxyFlags, command: Command): Promise<ExitCode> {
  const input = inputOf(command)
  const { env, cwd, now } = console
  const read = await readProxySettings({ env, cwd, now: now(), ...input }, flags)
  for (const notice of read.notices) console.err(`${printable(notice)}\n`)
  const issues = [...input.issues, ...(read.kind === 'issues' ? read.issues : [])]
  if (issues.length > 0) console.err(describeIssues(issues))
  if (read.kind === 'issues' || issues.length > 0) return 2
  const { settings } = read
  const embedded = settings.baseUrl === null ? await startReference() : null
  try {
    const baseUrl = settings.baseUrl ?? embedded?.baseUrl ?? ''
    const log = (line: string): void => console.out(`${line}\n`)
    return await serve({ ...settings, baseUrl, log }, console)
  } finally {
    await embedded?.close()
  }
}

async function serve(options: ProxyOptions, console: Console): Promise<ExitCode> {
  let proxy
  try {
    proxy = await startProxy(options)
  } catch (error) {
    const { host, port } = options
    console.err(`the proxy cannot be started on ${printable(host)}:${port}: ${errorText(error)}\n`)
    return 2
  }
  const ended = untilInterrupted()
  console.out(announcement(proxy.address, options))
  await ended
  await proxy.close()
  return 0
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
