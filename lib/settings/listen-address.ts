import { isLoopback } from './base-url.ts'

/** The address that a command listens on. */
export interface ListenAddress {
  readonly host: string
  /** 0 means any free port. */
  readonly port: number
}

/** Warns if other machines can reach `host`; `what` names what they could reach. */
export function reachableWarnings(host: string, what: string): readonly string[] {
  return isLoopback(host) || host === '::1'
    ? []
    : [`WARNING: with --host ${host}, other machines on the network can reach ${what}`]
}
