import { isIP } from 'node:net'

import { headPieces } from '../http/raw-head.ts'
import { whyNotRaw } from '../http/raw-refusal.ts'
import type { Request } from '../http/request.ts'
import { Secret } from '../http/secret.ts'
import type { ShellPart } from '../http/shell.ts'
import { targetOf } from '../http/target.ts'
import type { Target } from '../http/target.ts'
import { octal, quoted } from './bash.ts'
import type { LineOptions } from './curl.ts'

/**
 * The request as the raw lane writes it, as a line for bash: `printf` makes its bytes, credentials from variables named as
 * the settings are, and `nc`, or `openssl` for https, sends them. Null where a shell cannot say a credential, and for a
 * request that the raw lane does not send.
 */
export function rawLine(request: Request, { baseUrl, caFile }: LineOptions): string | null {
  if (whyNotRaw(request) !== null) return null

  const target = targetOf(baseUrl)
  const parts: ShellPart[] = []
  for (const piece of headPieces(request, target)) {
    const said = piece instanceof Secret ? piece.parts() : [{ text: piece }]
    if (said === null) return null
    parts.push(...said)
  }
  return `${printfOf(parts)} | ${senderTo(target, caFile)}`
}

/** `printf 'GET / HTTP/1.1\r\nx-api-key: %s\r\n\r\n' "$TARGET_API_KEY"`. */
function printfOf(parts: readonly ShellPart[]): string {
  const format = parts.map((part) => ('expansion' in part ? '%s' : inFormat(part.text))).join('')
  const values = parts.flatMap((part) => ('expansion' in part ? [`"${part.expansion}"`] : []))
  return ['printf', `'${format}'`, ...values].join(' ')
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['\r', String.raw`\r`],
  ['\n', String.raw`\n`],
  ['\t', String.raw`\t`],
  ['\\', String.raw`\\`],
  ['%', '%%'],
])

/** A text in a format of printf that stands between single quotes. */
function inFormat(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]|['%\\]/g, (one) => escapes.get(one) ?? octal(one))
}

function senderTo({ hostname, port, isEncrypted }: Target, caFile: string | null): string {
  if (!isEncrypted) return `nc ${argument(hostname)} ${port}`

  const isName = isIP(hostname) === 0
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return [
    'openssl s_client -quiet',
    // By itself, openssl would send credentials to whoever answers.
    `-verify_return_error ${isName ? '-verify_hostname' : '-verify_ip'} ${argument(hostname)}`,
    `-connect ${argument(`${host}:${port}`)}`,
    ...(isName ? [`-servername ${argument(hostname)}`] : []),
    ...(caFile === null ? [] : [`-CAfile ${quoted(caFile)}`]),
  ].join(' ')
}

function argument(text: string): string {
  return /^[\w.:-]+$/.test(text) ? text : quoted(text)
}
