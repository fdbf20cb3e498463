import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { shownUrl } from './base-url.ts'
import { issue, parsed, type Parsed } from './issue.ts'
import type { RunSettings } from './settings.ts'
import { readTextFile, sizeLimits } from './user-file.ts'

// Stops at the next dashes: otherwise a file of many beginnings takes quadratic time.
const certificates = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g

/** Reads a PEM file of certificates and leaves out a private key beside them. */
export async function readCaFile(text: string | undefined, cwd: string): Promise<Parsed<RunSettings['ca']>> {
  if (text === undefined) return parsed(null)

  const file = resolve(cwd, text)
  const read = await readTextFile(file, sizeLimits.certificates)
  const pem = read.kind === 'text' ? (read.text.match(certificates) ?? []).filter(isCertificate) : []
  if (pem.length > 0) return parsed({ file, pem: `${pem.join('\n')}\n` })

  const isText = read.kind === 'text'
  const unusable = issue('RUN_CA_FILE', {
    given: `${text} (${isText ? 'a file that holds no valid certificate' : read.why})`,
    expected: 'a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----)',
    hint: isText ? 'openssl x509 -inform der -in FILE turns the binary form into PEM' : null,
  })
  return parsed(null, unusable)
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== null
  } catch {
    return false
  }
}

/** Checks the address of a proxy; its user name and password are never shown. */
export function readProxy(text: string | undefined): Parsed<string | null> {
  if (text === undefined) return parsed(null)

  const hasScheme = /^https?:\/\/[^/]/i.test(text)
  if (hasScheme && URL.canParse(text)) return parsed(text)

  const unusable = issue('HTTPS_PROXY', {
    given: shownUrl(text),
    expected: 'the address of a proxy, beginning with http:// or https://',
    hint: hasScheme ? null : 'as in http://proxy.example:3128',
  })
  return parsed(null, unusable)
}

/** User name and password in the address of a proxy, as written and decoded. */
export function secretsIn(address: string): readonly string[] {
  const userInfo = userInfoOf(address)
  return spellings([userInfo, ...userInfo.split(/:(.*)/s)])
}

/**
 * Password in the address of a proxy, as written and decoded; without a colon, all the user info may be a token. The user name is
 * often a word, such as `jenkins`.
 */
export function passwordsIn(address: string): readonly string[] {
  const userInfo = userInfoOf(address)
  return spellings([userInfo.split(/:(.*)/s)[1] ?? userInfo])
}

function userInfoOf(address: string): string {
  return /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1] ?? ''
}

function spellings(parts: readonly string[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => [part, decodedOr(part)]))].filter((part) => part !== '')
}

function decodedOr(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
