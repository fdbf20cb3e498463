import { once } from 'node:events'
import { toleratedChanges } from '../drift/tolerated.ts'
import { startReference } from '../reference/service.ts'
import { printable } from '../settings/printable.ts'
import type { ExitCode } from '../verdict/verdict.ts'
import { describeIssues } from '../settings/issue.ts'
import type { Console } from './console.ts'
import { type ProxyFlags, readProxySettings } from '../proxy/proxy-settings.ts'
import { startProxy, type Proxy, type ProxyOptions } from '../proxy/start-proxy.ts'
import type { CommandInput } from './command-line.ts'

/** Stands before a service and changes its JSON answers in the tolerated ways until it is interrupted. Source: Commands, in the README. */
export async function proxyCommand(
  flags: ProxyFlags,
  input: CommandInput,
  console: Console,
): Promise<ExitCode> {
  const read = await readProxySettings(
    { env: console.env, cwd: console.cwd, now: console.now(), ...input },
    flags,
  )
  for (const notice of read.notices) console.err(`${printable(notice)}\n`)
  if (read.kind === 'issues' || input.issues.length > 0) {
    console.err(describeIssues([...input.issues, ...(read.kind === 'issues' ? read.issues : [])]))
    return 2
  }
  const { settings } = read
  const embedded = settings.baseUrl === null ? await startReference() : null
  try {
    return await serve(
      { ...settings, ...log(console), baseUrl: settings.baseUrl ?? embedded?.baseUrl ?? '' },
      console,
    )
  } finally {
    await embedded?.close()
  }
}

function log(console: Console): Pick<ProxyOptions, 'log'> {
  return { log: (line) => console.out(`${line}\n`) }
}

async function serve(options: ProxyOptions, console: Console): Promise<ExitCode> {
  const proxy = await started(options, console)
  if (proxy === null) return 2

  console.out(announcement(proxy.address, options))
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await proxy.close()
  return 0
}

async function started(options: ProxyOptions, console: Console): Promise<Proxy | null> {
  try {
    return await startProxy(options)
  } catch (error) {
    const { host, port } = options
    console.err(`the proxy cannot listen at ${printable(host)}:${port}: ${reason(error)}\n`)
    return null
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  switch (code) {
    case 'EADDRINUSE':
      return 'something else listens there; choose another --port, or 0 for a free one'
    case 'EACCES':
      return 'this needs the rights of an administrator; choose another --port, or 0 for a free one'
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return 'this machine has no such address; choose another --host'
    default:
      return error instanceof Error ? error.message : String(error)
  }
}

/** The address, what is changed, and how to use it. */
function announcement(address: string, { baseUrl, changes, seed }: ProxyOptions): string {
  const says = toleratedChanges.filter(({ name }) => changes.includes(name))
  return [
    `The proxy listens at ${address} and passes requests on to ${baseUrl}`,
    'It changes every JSON answer, decided by the seed and by how many requests came before:',
    ...says.map(({ name, says: what }) => `  ${name.padEnd(8)}${what}`),
    `  seed    ${seed}`,
    `Give your client application ${address} as the address of the service: the specification lets the service make these`,
    'changes at any time, so all that worked before must still work. x-tolerated-changes in an answer says what was done to it.',
    'End it with Ctrl-C.',
    '',
    '',
  ].join('\n')
}
