import { valueOf, type Request } from '../lib/http/request.ts'

/** Where a request goes. */
export interface Place {
  /** What `host` says. */
  readonly host: string
  /** Stands before every target. */
  readonly prefix: string
}

/**
 * How the bytes of a request differ from what its model says, or null. Only `host` and `connection` may stand there besides,
 * each once, with the one value that they have: `keep-alive` on a pooled connection, `close` on the raw socket.
 */
export function differenceFrom(request: Request, bytes: string, { host, prefix }: Place): string | null {
  const { method, target, fields, route } = request
  // On a pooled connection the client writes `connection: close` where it writes its own fields.
  const isOwn = (field: Request['fields'][number]): boolean =>
    route !== 'raw' && field.name.toLowerCase() === 'connection' && valueOf(field) === 'close'
  const given = fields.filter((field) => !isOwn(field))
  const isGiven = given.some(({ name }) => name.toLowerCase() === 'connection')
  const additions = [
    `host: ${host}\r\n`,
    ...(isGiven
      ? []
      : [
          route === 'raw' || given.length < fields.length
            ? 'connection: close\r\n'
            : 'connection: keep-alive\r\n',
        ]),
  ]
  let rest = bytes
  for (const line of additions) {
    const at = rest.indexOf(`\r\n${line}`)
    if (at === -1) return `lacks the line ${JSON.stringify(line)}`
    rest = rest.slice(0, at + 2) + rest.slice(at + 2 + line.length)
  }

  const lines = given.map((field) => `${field.name}: ${valueOf(field)}\r\n`)
  const expected = `${method} ${prefix}${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  if (rest === expected) return null
  const at = Array.from(rest).findIndex((one, index) => one !== expected[index])
  return `differs from byte ${at === -1 ? rest.length : at} on, of ${rest.length} where ${expected.length} are expected`
}
