/** Parts of the base URL of a target. */
export interface Target {
  readonly origin: string
  /** Such as `localhost`, `127.0.0.1` or `::1`. */
  readonly hostname: string
  readonly port: string
  readonly isEncrypted: boolean
  /** Value of the field `host`. */
  readonly host: string
  /** Host and port, for messages. */
  readonly at: string
  /** Precedes the target of every request; taken from the text, because `URL` would normalise it. */
  readonly prefix: string
}

/** Parses `http(s)://host[:port][/prefix]`, with or without a trailing slash. */
export function targetOf(baseUrl: string): Target {
  const { origin, host, hostname, port: given, protocol } = new URL(baseUrl)
  const isEncrypted = protocol === 'https:'
  const port = given || (isEncrypted ? '443' : '80')
  const prefix = baseUrl
    .replace(/^[^:]+:\/\/[^/?#]*/, '')
    .replace(/[?#].*$/s, '')
    .replace(/\/+$/, '')

  return {
    origin,
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    isEncrypted,
    host,
    at: `${hostname}:${port}`,
    prefix,
  }
}
