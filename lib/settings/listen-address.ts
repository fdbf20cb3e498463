import { isLoopback } from './base-url.ts'
import { issue, type Parsed } from './issue.ts'

/** Flags that say where a command listens, as given. */
export interface ListenFlags {
  readonly host: string
  readonly port: string
}

/** Reads `--host` and `--port`; a wrong port becomes 0, a free one. */
export function readListenAddress({
  host,
  port,
}: ListenFlags): Parsed<{ readonly host: string; readonly port: number }> {
  const isPort = /^\d{1,5}$/.test(port) && Number(port) <= 65_535
  const ofPort = issue('--port', { given: port, expected: 'a port from 0 (a free one) to 65535' })
  // An empty host would mean every address of this machine.
  const ofHost = issue('--host', {
    given: 'an empty value',
    expected: 'an address or a name of this machine',
    hint: 'is the variable set from which --host was filled?',
  })
  const issues = [...(isPort ? [] : [ofPort]), ...(host.trim() === '' ? [ofHost] : [])]
  return { value: { host, port: isPort ? Number(port) : 0 }, issues }
}

/** Warns that others reach what listens at `host`, unless only this machine does; `what` is a clause that says who is concerned. */
export function reachableWarnings(host: string, what: string): readonly string[] {
  return isLocal(host) ? [] : [`WARNING: with --host ${host} others on the network reach ${what}`]
}

/** Whether only this machine reaches an address. */
export function isLocal(host: string): boolean {
  return isLoopback(host) || host === '::1'
}
