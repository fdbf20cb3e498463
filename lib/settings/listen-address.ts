import { isLoopback } from './base-url.ts'
import { issue, type Parsed } from './issue.ts'

/** Flags for the address that a command listens on. */
export interface ListenFlags {
  readonly host: string
  readonly port: string
}

/** Reads `--host` and `--port`. An invalid port becomes 0, which means any free port. */
export function readListenAddress({
  host,
  port,
}: ListenFlags): Parsed<{ readonly host: string; readonly port: number }> {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) <= 65_535
  const ofPort = issue('--port', { given: port, expected: 'a port from 0 (any free port) to 65535' })
  // An empty host would mean every address of this machine.
  const ofHost = issue('--host', {
    given: 'an empty value',
    expected: 'an address or a name of this machine',
    hint: 'is the variable for --host set?',
  })
  const issues = [...(isPort ? [] : [ofPort]), ...(host.trim() === '' ? [ofHost] : [])]
  return { value: { host, port: isPort ? Number(port) : 0 }, issues }
}

/** Warns if other machines can reach `host`; `what` names what they could reach. */
export function reachableWarnings(host: string, what: string): readonly string[] {
  return isLocal(host)
    ? []
    : [`WARNING: with --host ${host}, other machines on the network can reach ${what}`]
}

/** Whether an address can be reached only from this machine. */
export function isLocal(host: string): boolean {
  return isLoopback(host) || host === '::1'
}
