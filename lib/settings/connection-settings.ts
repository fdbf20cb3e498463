import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { resolve } from 'node:path'
import { percentDecoded } from '../text/percent.ts'
import { isHostName, shortHost, shownUrl } from './base-url.ts'
import { Secret } from '../redact/secret.ts'
import { issue, parsed, shortened, type Parsed, type SettingIssue } from './issue.ts'
import type { Checked } from './setting-table.ts'
import type { RunSettings } from './settings.ts'
import { shownPath } from './shown-path.ts'
import { readTextFile, sizeLimits, type TextFile } from './user-file.ts'

// Stops at the next dashes: otherwise a file of many beginnings takes quadratic time.
const certificates = /-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])+-----END CERTIFICATE-----/g

/** Reads a PEM file of certificates and leaves out a private key beside them. */
export async function readCaFile(text: string | undefined, cwd: string): Promise<Parsed<RunSettings['ca']>> {
  if (text === undefined) return parsed(null)

  const read = await readTextFile(resolve(cwd, text), sizeLimits.certificates)
  const pem = certificatesIn(read)
  if (pem.length > 0) return parsed({ file: shownPath(text, cwd), pem: `${pem.join('\n')}\n` })

  const isText = read.kind === 'text'
  const unusable = issue('RUN_CA_FILE', {
    given: `${text} (${isText ? 'a file that holds no valid certificate' : read.why})`,
    expected: 'a PEM file with at least one certificate (-----BEGIN CERTIFICATE-----)',
    hint: isText ? 'openssl x509 -inform der -in FILE turns the binary form into PEM' : null,
  })
  return parsed(null, unusable)
}

/** Reads the client certificate and its private key, which must fit each other; null if neither is given. */
export async function readClientCertificate(
  { RUN_CERT_FILE: certFile, RUN_KEY_FILE: keyFile }: Checked,
  cwd: string,
): Promise<Parsed<RunSettings['clientCertificate']>> {
  if (certFile === undefined && keyFile === undefined) return parsed(null)
  if (certFile === undefined || keyFile === undefined) {
    const [missing, given] =
      certFile === undefined ? ['RUN_CERT_FILE', 'RUN_KEY_FILE'] : ['RUN_KEY_FILE', 'RUN_CERT_FILE']
    const expected = `the other half of the client certificate, since ${given} is given`
    return parsed(null, issue(missing, { expected }))
  }
  const [certRead, keyRead] = await Promise.all(
    [certFile, keyFile].map((file) => readTextFile(resolve(cwd, file), sizeLimits.certificates)),
  )
  const chain = certificatesIn(certRead)
  const key = keyRead?.kind === 'text' ? privateKeyIn(keyRead.text) : null
  const ofCert = unfitHalf('RUN_CERT_FILE', certFile, certRead, 'a PEM file with the client certificate')
  const noPassphrase = 'a PEM file with a private key that needs no passphrase'
  const ofKey = unfitHalf('RUN_KEY_FILE', keyFile, keyRead, noPassphrase)
  const issues = [...(chain.length > 0 ? [] : [ofCert]), ...(key === null ? [ofKey] : [])]
  const [own] = chain
  if (own === undefined || key === null) return { value: null, issues }
  if (!new X509Certificate(own).checkPrivateKey(key.object)) {
    const expected = 'the private key of the first certificate in RUN_CERT_FILE; this is another one'
    return parsed(null, issue('RUN_KEY_FILE', { given: keyFile, expected }))
  }
  return parsed({
    file: shownPath(certFile, cwd),
    cert: `${chain.join('\n')}\n`,
    key: new Secret('RUN_KEY_FILE', key.pem),
  })
}

function unfitHalf(
  setting: 'RUN_CERT_FILE' | 'RUN_KEY_FILE',
  file: string,
  read: TextFile | undefined,
  expected: string,
): SettingIssue {
  const why = read === undefined || read.kind === 'text' ? 'a file that holds none' : read.why
  const isKey = setting === 'RUN_KEY_FILE' && read?.kind === 'text'
  const hint = isKey ? 'openssl pkey -in FILE -out OTHER takes a passphrase off' : null
  return issue(setting, { given: `${file} (${why})`, expected, hint })
}

function privateKeyIn(text: string): { readonly pem: string; readonly object: KeyObject } | null {
  try {
    return { pem: text, object: createPrivateKey(text) }
  } catch {
    return null
  }
}

function certificatesIn(file: TextFile | undefined): readonly string[] {
  return file?.kind === 'text' ? (file.text.match(certificates) ?? []).filter(isCertificate) : []
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

  const unusable = (expected: string, hint: string | null = null) =>
    parsed(null, issue('HTTPS_PROXY', { given: shortened(shownUrl(text)), expected, hint }))

  const hasScheme = /^https?:\/\/[^/]/i.test(text)
  if (!hasScheme || !URL.canParse(text)) {
    const hint = hasScheme ? null : 'as in http://proxy.example:3128'
    return unusable('the address of a proxy, beginning with http:// or https://', hint)
  }
  const url = new URL(text)
  if (!isHostName(url)) return unusable(shortHost)
  const { username, password } = url
  if ([username, password].some((part) => percentDecoded(part) === null))
    return unusable('a user name and a password that are percent-encoded', 'a % in them is written as %25')
  return parsed(text)
}

/**
 * Password in the address of a proxy, as written and decoded; without a colon, all the user info may be a token. The user name is no
 * secret: it is often a word, such as `jenkins`.
 */
export function passwordsIn(address: string): readonly string[] {
  const userInfo = userInfoOf(address)
  const password = userInfo.split(/:(.*)/s)[1] ?? userInfo
  return [...new Set([password, percentDecoded(password) ?? password])].filter((one) => one !== '')
}

function userInfoOf(address: string): string {
  return /^(?:[a-z][a-z\d+.-]*:)?\/*(.*)@/is.exec(address.trim())?.[1] ?? ''
}
